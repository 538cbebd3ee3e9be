"""Everything beside the rows: card, datasheet, Croissant file, exported folder, installed caches."""
