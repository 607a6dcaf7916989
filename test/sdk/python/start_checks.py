"""Starts that fail."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import AsyncIterator, Awaitable, Callable

from aiohttp import web

from livekit import rtc
from livekit.agents import Agent, AgentSession, APIConnectOptions
from livekit.plugins import openavatar
from room import Scene, call, scene

AGENT_ID = os.environ["AVATAR_AGENT_ID"]
QUICK = APIConnectOptions(max_retry=2, retry_interval=0.05, timeout=0.4)


@contextlib.asynccontextmanager
async def service(
    answer: Callable[[web.Request], Awaitable[web.StreamResponse]],
) -> AsyncIterator[str]:
    server = web.ServerRunner(web.Server(answer))
    await server.setup()
    await web.TCPSite(server, "127.0.0.1", 0).start()
    host, port = server.addresses[0][:2]
    try:
        yield f"http://{host}:{port}"
    finally:
        await server.cleanup()


async def refused(place: Scene, **options: object) -> openavatar.AvatarException:
    """What start() raises. Nothing of it may be left."""
    session: AgentSession = AgentSession()
    avatar = openavatar.AvatarSession(**{"agent_id": AGENT_ID, "conn_options": QUICK, **options})
    try:
        await avatar.start(session, place.room)
    except openavatar.AvatarException as error:
        assert session.output.audio is None
        assert not avatar._agent_session and not avatar._wait_avatar_join_task
        return error
    finally:
        await avatar.aclose()
    raise AssertionError("it started")


def makes(**options: object) -> openavatar.AvatarException:
    """What the constructor raises."""
    try:
        openavatar.AvatarSession(**options)
    except openavatar.AvatarException as error:
        return error
    raise AssertionError("it was made")


@contextlib.contextmanager
def environment(**values: str | None):
    before = {name: os.environ.pop(name, None) for name in values}
    os.environ.update({name: value for name, value in values.items() if value is not None})
    try:
        yield
    finally:
        for name, value in before.items():
            os.environ.pop(name, None)
            if value is not None:
                os.environ[name] = value


async def revoked_secret() -> str:
    secrets = f"/v2/{(await call('GET', '/v1/me'))['data']['user_id']}/api-secrets"
    secret = (await call("POST", secrets, {"alias": "old"}))["secret"]
    await call("DELETE", f"{secrets}/old")
    return secret


async def check_credentials() -> None:
    with environment(AVATAR_API_SECRET=None, AVATAR_API_KEY=None):
        error = makes()
        assert error.code == "MISSING_AUTH" and "AVATAR_API_SECRET" in error.message
        with environment(AVATAR_API_KEY="the deprecated name"):
            openavatar.AvatarSession()
    assert makes(api_secret="two\nlines").code == "BAD_ARGUMENT"
    assert makes(api_secret="a.scoped.token", image=b"...").code == "BAD_ARGUMENT"
    for emotion in ("joyful", "", "happy:2", None):
        error = makes(emotion=emotion)
        assert error.code == "BAD_ARGUMENT" and "happy, sad, angry" in error.message, error
    for manner in ("lively", "", None):
        error = makes(manner=manner)
        assert error.code == "BAD_ARGUMENT" and "still, natural" in error.message, error
    assert makes(api_url="localhost:8080").code == "BAD_ARGUMENT"
    with environment(AVATAR_API_TIMEOUT="soon"):
        assert makes().code == "BAD_ARGUMENT"
    async with scene() as place:
        wrong = await refused(place, api_secret="wrong")
        assert (wrong.code, wrong.status_code, wrong.retryable) == ("UNAUTHORIZED", 401, False), (
            wrong
        )
        assert wrong.request_id
        revoked = await refused(place, api_secret=await revoked_secret())
        assert (revoked.code, revoked.status_code) == ("RUNTIME_SUSPENDED", 403), revoked
        unknown = await refused(place, agent_id="A00AAA0000")
        assert (unknown.code, unknown.status_code) == ("NOT_FOUND", 404), unknown
        with environment(LIVEKIT_API_KEY=None):
            error = await refused(place)
            assert error.code == "MISSING_AUTH" and "LIVEKIT_API_KEY" in error.message, error


async def check_service_that_is_no_service() -> None:
    async with scene() as place:
        away = await refused(place, api_url="http://127.0.0.1:9")
        assert (away.code, away.status_code) == ("UNREACHABLE", None), away

        requests = 0

        async def slow(_: web.Request) -> web.Response:
            nonlocal requests
            requests += 1
            await asyncio.sleep(1.0)
            return web.json_response({})

        async with service(slow) as url:
            error = await refused(place, api_url=url)
            assert (error.code, requests) == ("TIMEOUT", 3), (error, requests)
            with environment(AVATAR_API_TIMEOUT="0.1"):
                error = await refused(place, api_url=url)
                assert "0.1 s" in error.message, error

        async def page(request: web.Request) -> web.Response:
            nonlocal requests
            requests += 1
            return web.Response(text="<h1>Bad gateway</h1>", content_type="text/html", status=502)

        requests = 0
        async with service(page) as url:
            error = await refused(place, api_url=url)
            assert (error.code, error.status_code) == ("UNEXPECTED_ANSWER", 502), error
            assert "html" in error.message and requests == 3

        async def elsewhere(_: web.Request) -> web.Response:
            return web.Response(status=308, headers={"Location": "https://avatars.example/"})

        async with service(elsewhere) as url:
            error = await refused(place, api_url=url)
            assert error.status_code == 308 and "https://avatars.example/" in error.message, error

        async def site(_: web.Request) -> web.Response:
            return web.Response(text="<h1>Hello</h1>", content_type="text/html")

        async with service(site) as url:
            assert (await refused(place, api_url=url)).code == "UNEXPECTED_ANSWER"


async def check_storm_of_429() -> None:
    requests = 0

    async def busy(_: web.Request) -> web.Response:
        nonlocal requests
        requests += 1
        error = {"code": "RATE_LIMITED", "message": "Pro: wait 1 s", "httpStatus": 429}
        body = {"error": error, "status": "error", "status_code": 429}
        return web.json_response(body, status=429, headers={"Retry-After": "0.3"})

    async with service(busy) as url, scene() as place:
        begun = asyncio.get_running_loop().time()
        error = await refused(place, api_url=url)
        assert (error.code, error.status_code, requests) == ("RATE_LIMITED", 429, 3), (
            error,
            requests,
        )
        assert asyncio.get_running_loop().time() - begun > 0.6, "it did not wait"


async def check_first_sample_without_an_agent_id() -> None:
    lists: list[list] = [[{"agent_code": "sample-maya"}], []]
    launched: list[dict] = []

    async def answer(request: web.Request) -> web.Response:
        if request.path == "/v1/models/showcase":
            # A new service makes the first one on request.
            return web.json_response({"models": lists.pop()})
        if request.path == "/v1/runtime-tokens/request":
            launched.append(await request.json())
        return web.json_response({"session_id": "cs_1"})

    async with service(answer) as url, scene() as place:
        avatar = openavatar.AvatarSession(
            api_url=url, emotion="happy:0.6", manner="still", listen=False
        )
        await avatar.start(AgentSession(), place.room)
        await avatar.aclose()
    assert len(launched) == 1
    expected = {
        "agent_id": "sample-maya",
        "emotion": "happy:0.6",
        "manner": "still",
        "listen": False,
    }
    assert expected.items() <= launched[0].items(), launched


async def check_given_up_half_way() -> None:
    paths: list[str] = []

    async def launches_late(request: web.Request) -> web.Response:
        paths.append(request.path)
        await asyncio.sleep(0.2)
        return web.json_response({"session_id": "cs_1"})

    async with service(launches_late) as url, scene() as place:
        session: AgentSession = AgentSession()
        avatar = openavatar.AvatarSession(agent_id=AGENT_ID, api_url=url)
        start = asyncio.create_task(avatar.start(session, place.room))
        await asyncio.sleep(0.1)
        start.cancel()
        await asyncio.gather(start, return_exceptions=True)
        assert start.cancelled()
        assert paths == ["/v1/runtime-tokens/request", "/v1/runtime-sessions/cs_1/end"], paths


async def check_wrong_moment() -> None:
    error = await refused(Scene("none", None, rtc.Room()))
    assert error.code == "BAD_STATE" and "connected" in error.message, error
    async with scene() as place:
        session: AgentSession = AgentSession()
        avatar = openavatar.AvatarSession(agent_id=AGENT_ID)
        await session.start(Agent(instructions="Talk."), room=place.room)
        try:
            # After the session: its output is replaced.
            await avatar.start(session, place.room)
            try:
                await avatar.start(session, place.room)
                raise AssertionError("it started twice")
            except openavatar.AvatarException as error:
                assert error.code == "BAD_STATE", error
            await avatar.wait_for_join()
        finally:
            await session.aclose()
            await avatar.aclose()
