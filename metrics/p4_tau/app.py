"""The app of this Space."""

from vehbench_hf.metrics.space import build_app

app = build_app("p4_tau")

if __name__ == "__main__":
    app.launch()
