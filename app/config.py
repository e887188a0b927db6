"""Settings, and where the files that travel with the code stand.

Every setting is an environment variable with the prefix `SAYDO_`. Nothing is read at import; a `Settings` value is made
at the edge and passed on.
"""

from __future__ import annotations

from pathlib import Path

from pydantic import Field
from pydantic_settings import BaseSettings, SettingsConfigDict

_PACKAGE = Path(__file__).resolve().parent


def _shipped(name: str) -> Path:
    """Return a folder that travels inside the wheel, or stands beside `app/` in a checkout."""
    inside = _PACKAGE / "shipped" / name
    return inside if inside.is_dir() else _PACKAGE.parent / name


def codebook_dir() -> Path:
    """Return the folder the codebooks are read from, as shipped."""
    return _shipped("codebook")


def templates_dir() -> Path:
    """Return the folder of the Jinja templates."""
    return _shipped("templates")


def static_dir() -> Path:
    """Return the folder of style sheets and scripts."""
    return _shipped("static")


def migrations_dir() -> Path:
    """Return Alembic's script folder."""
    return _shipped("migrations")


def examples_dir() -> Path:
    """Return the folder of the authored examples."""
    return _shipped("examples")


class Settings(BaseSettings):
    """How one installation runs. Frozen: a setting changes by starting again."""

    model_config = SettingsConfigDict(env_prefix="SAYDO_", frozen=True, extra="ignore")

    database_url: str = Field(default="sqlite:///var/saydo.db", description="where the study database is")
    data_dir: Path = Field(default=Path("var"), description="where uploads and the session key are kept")
    codebook_dir: Path = Field(default_factory=codebook_dir, description="folder of codebook files")
    user: str | None = Field(default=None, description="who the command line acts as, when --as is not given")
    session_hours: int = Field(default=12, ge=1, le=168, description="how long a sign-in lasts")
    link_hours: int = Field(default=72, ge=1, le=720, description="how long a one-time link can be used")
    max_upload_mb: int = Field(default=512, ge=1, description="largest accepted upload, in MB")
    public_url: str = Field(default="http://127.0.0.1:8000", description="what sign-in links start with")
