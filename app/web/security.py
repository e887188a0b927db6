"""Answer headers, cross-origin refusal and the body limit, for every request alike.

A state-changing request that a browser marks as coming from another site is refused: `Sec-Fetch-Site` says so in every
current browser, `Origin` in older ones; a client that sends neither is not a browser and has no cookie to abuse
(Fetch Metadata, W3C; the method is that of the OWASP cheat sheet on cross-site request forgery).
"""

from __future__ import annotations

from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "font-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": CSP,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
}
SAFE_METHODS = {"GET", "HEAD", "OPTIONS"}


def comes_from_elsewhere(method: str, headers: Headers) -> bool:
    """Return whether this is a state-changing request that another site's page makes."""
    if method in SAFE_METHODS:
        return False
    site = headers.get("sec-fetch-site")
    if site is not None:
        return site not in {"same-origin", "none"}
    origin = headers.get("origin")
    try:
        return origin is not None and urlsplit(origin).netloc != headers.get("host")
    except ValueError:
        return True


class SecurityMiddleware:
    """Refuses cross-origin writes and oversized bodies, and sets the headers of every answer."""

    def __init__(self, app: ASGIApp, max_body_bytes: int) -> None:
        self.app = app
        self.max_body_bytes = max_body_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                answer = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    answer.setdefault(name, value)
                if not scope["path"].startswith("/static/"):
                    answer.setdefault("cache-control", "no-store")
            await send(message)

        refusal = self._refusal(scope["method"], headers)
        await (refusal or self.app)(scope, receive, send_with_headers)

    def _refusal(self, method: str, headers: Headers) -> PlainTextResponse | None:
        if comes_from_elsewhere(method, headers):
            return PlainTextResponse("this request was made by another site's page and is refused\n", 403)
        length = headers.get("content-length", "0")
        if not length.isdigit() or int(length) > self.max_body_bytes:
            return PlainTextResponse(f"at most {self.max_body_bytes // 2**20} MB can be sent at once\n", 413)
        return None
