"""A reconciliation to try: the registration of arm A2-id and two small authored tables."""
