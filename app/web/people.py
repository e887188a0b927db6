"""The administrator's page: users, roles, fresh sign-in links."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import Response

from app.domain.errors import BadInput
from app.services import people
from app.services.pages import PeoplePage
from app.web.deps import ActorDep, FormDep, WiringDep, text_of

router = APIRouter()


@router.get("/people")
def show(request: Request, actor: ActorDep, wiring: WiringDep) -> Response:
    """List users and roles."""
    with wiring.database.reading() as session:
        page = PeoplePage(people.list_people(session, actor))
    return wiring.render(request, "admin/people.html", {"page": page, "person": actor.person})


@router.post("/people")
def add(request: Request, form: FormDep, actor: ActorDep, wiring: WiringDep) -> Response:
    """Add a user (or a role to one) and show a one-time link, once; what cannot be added comes back in the form."""
    name, role, token = text_of(form, "name"), text_of(form, "role"), wiring.secret()
    try:
        with wiring.database.writing() as session:
            people.add_user(session, actor, name, [role], wiring.clock())
            people.give_link(session, name, token, wiring.clock(), wiring.settings.link_hours)
            found = people.list_people(session, actor)
    except BadInput as error:
        with wiring.database.reading() as session:
            page = PeoplePage(people.list_people(session, actor))
        context = {"page": page, "person": actor.person, "refused": {"name": name, "role": role, "why": str(error)}}
        return wiring.render(request, "admin/people.html", context, 422)
    page = PeoplePage(found, f"{wiring.settings.public_url.rstrip('/')}/signin/{token}", name)
    return wiring.render(request, "admin/people.html", {"page": page, "person": actor.person})
