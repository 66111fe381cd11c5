"""Reading documents of every kind, in processes of their own, and the index that searches them."""
