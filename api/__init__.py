"""Tocsin's HTTP face: orders in, receipts, views, ticks and reports out. It holds no rule of any game."""
