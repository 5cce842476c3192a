"""References that stand outside the product: the same rules on the same orders, as others would run them."""
