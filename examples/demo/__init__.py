"""The demo study: a scripted agent, what it really ran, how people coded what it said. Nothing here serves pages."""
