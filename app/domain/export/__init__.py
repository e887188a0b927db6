"""What a study gives away: tables, agreement, accounting and manifest, made from a `StudyRecord` alone.

Everything here is pure: a record in, rows, documents and bytes out. Writing folders and rendering the report is the
services' business; checking them without this code is that of `app.domain.stats.check`.
"""
