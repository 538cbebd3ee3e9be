"""A random Llama of a third of a million parameters with a chat template, made in seconds: the plumbing of a model."""

from pathlib import Path

TEMPLATE = (
    "{{ bos_token }}{% for message in messages %}<|{{ message['role'] }}|>\n{{ message['content'] }}<|end|>\n"
    "{% endfor %}{% if add_generation_prompt %}<|assistant|>\n{% endif %}"
)
SPECIAL = ["<|start|>", "<|end|>", "<|system|>", "<|user|>", "<|assistant|>"]
CONTEXT = 16384


def make_tokenizer(folder: Path, template: str | None = TEMPLATE) -> Path:
    """A byte-level tokenizer that writes its start token by itself, as real ones do; merges are few."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
    from transformers import PreTrainedTokenizerFast

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    trainer = trainers.BpeTrainer(vocab_size=304, special_tokens=SPECIAL, initial_alphabet=alphabet)
    tokenizer.train_from_iterator(["propose_design infeasible ranking load_resistance_ohm"] * 4, trainer)
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<|start|> $A", special_tokens=[("<|start|>", tokenizer.token_to_id("<|start|>"))]
    )
    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, bos_token="<|start|>", eos_token="<|end|>", pad_token="<|end|>"
    )
    fast.chat_template = template
    fast.save_pretrained(folder)
    return folder


def make_model(folder: Path, template: str | None = TEMPLATE) -> Path:
    """Tokenizer and random weights from a fixed seed, in float32: the order of additions seldom changes a reply."""
    import torch
    from transformers import AutoTokenizer, LlamaConfig, LlamaForCausalLM

    tokenizer = AutoTokenizer.from_pretrained(make_tokenizer(folder, template))
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=128,
        intermediate_size=256,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=CONTEXT,
        bos_token_id=tokenizer.bos_token_id,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
    )
    LlamaForCausalLM(config).save_pretrained(folder)
    return folder
