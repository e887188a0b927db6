"""Users, their roles, one-time links, browser sessions and API tokens. Tokens are stored as hashes only."""

from __future__ import annotations

from collections.abc import Iterable

from sqlmodel import Session, col, select

from app.storage.tables import ApiTokenRow, SignInLinkRow, UserRoleRow, UserRow, WebSessionRow


def find_user(session: Session, name: str) -> UserRow | None:
    """Return the user of that name, or None."""
    return session.exec(select(UserRow).where(UserRow.name == name)).first()


def find_user_by_id(session: Session, user_id: int) -> UserRow | None:
    """Return the user of that id, or None."""
    return session.get(UserRow, user_id)


def list_users(session: Session) -> list[UserRow]:
    """Return all users by name."""
    return list(session.exec(select(UserRow).order_by(UserRow.name)))


def list_roles(session: Session, user_id: int) -> tuple[str, ...]:
    """Return a user's roles on this installation, sorted."""
    found = session.exec(select(UserRoleRow.role).where(UserRoleRow.user_id == user_id))
    return tuple(sorted(found))


def list_names_with_role(session: Session, role: str) -> tuple[str, ...]:
    """Return the names of all users holding a role, sorted."""
    query = (
        select(UserRow.name).join(UserRoleRow, col(UserRoleRow.user_id) == UserRow.id).where(UserRoleRow.role == role)
    )
    return tuple(sorted(session.exec(query)))


def add_user(session: Session, name: str, kind: str, roles: Iterable[str], created_at: str) -> UserRow:
    """Insert a user with roles and return it."""
    user = UserRow(name=name, kind=kind, created_at=created_at)
    session.add(user)
    session.flush()
    add_roles(session, user, roles)
    return user


def add_roles(session: Session, user: UserRow, roles: Iterable[str]) -> None:
    """Give a user the roles not yet held."""
    held = set(list_roles(session, user_id_of(user)))
    for role in sorted(set(roles) - held):
        session.add(UserRoleRow(user_id=user_id_of(user), role=role))
    session.flush()


def user_id_of(user: UserRow) -> int:
    """Return the id of a stored user."""
    assert user.id is not None
    return user.id


def add_link(session: Session, link: SignInLinkRow) -> None:
    """Insert a one-time link."""
    session.add(link)
    session.flush()


def find_link(session: Session, token_sha256: str) -> SignInLinkRow | None:
    """Return the link of that token hash, used or not."""
    return session.get(SignInLinkRow, token_sha256)


def add_web_session(session: Session, row: WebSessionRow) -> None:
    """Insert a browser session."""
    session.add(row)
    session.flush()


def find_web_session(session: Session, id_sha256: str) -> WebSessionRow | None:
    """Return the browser session of that id hash, valid or not."""
    return session.get(WebSessionRow, id_sha256)


def add_api_token(session: Session, row: ApiTokenRow) -> None:
    """Insert an API token."""
    session.add(row)
    session.flush()


def find_api_token(session: Session, token_sha256: str) -> ApiTokenRow | None:
    """Return the API token of that hash, revoked or not."""
    return session.get(ApiTokenRow, token_sha256)
