"""Users, roles and how they come in; secrets as hashes only."""

from __future__ import annotations

from typing import ClassVar

from sqlmodel import Field, SQLModel

from app.storage.tables.columns import one_of


class UserRow(SQLModel, table=True):
    """A person or a machine rater."""

    __tablename__: ClassVar[str] = "user_account"
    __table_args__ = (one_of("kind", "human", "machine"),)
    id: int | None = Field(default=None, primary_key=True)
    name: str = Field(unique=True)
    kind: str = "human"
    created_at: str


class UserRoleRow(SQLModel, table=True):
    """One role a user holds on this installation."""

    __tablename__: ClassVar[str] = "user_role"
    __table_args__ = (one_of("role", "lead", "custodian", "rater", "adjudicator", "administrator"),)
    user_id: int = Field(foreign_key="user_account.id", primary_key=True)
    role: str = Field(primary_key=True)


class SignInLinkRow(SQLModel, table=True):
    """A one-time sign-in link; only the hash of its token is kept."""

    __tablename__: ClassVar[str] = "sign_in_link"
    token_sha256: str = Field(primary_key=True)
    user_id: int = Field(foreign_key="user_account.id", index=True)
    created_at: str
    expires_at: str
    used_at: str | None = None


class WebSessionRow(SQLModel, table=True):
    """A signed-in browser; only the hash of the cookie's random id is kept."""

    __tablename__: ClassVar[str] = "web_session"
    id_sha256: str = Field(primary_key=True)
    user_id: int = Field(foreign_key="user_account.id", index=True)
    created_at: str
    expires_at: str
    revoked_at: str | None = None


class ApiTokenRow(SQLModel, table=True):
    """A bearer token of the JSON interface; only its hash is kept."""

    __tablename__: ClassVar[str] = "api_token"
    token_sha256: str = Field(primary_key=True)
    user_id: int = Field(foreign_key="user_account.id", index=True)
    created_at: str
    revoked_at: str | None = None
