"""Game accounts of members: link, unlink, and use them."""

import contextlib
import io
import logging
import re
import secrets
import string
import zipfile
from collections import abc

from pydantic import SecretStr

from bot import cache, errors
from bot.background import BackgroundTasks
from bot.game import game_client, game_errors
from bot.game.models import Player
from bot.visible import is_visible
from storage import storage_errors
from storage.links import Link, Links
from storage.vault import VaultError

log = logging.getLogger(__name__)
# The game has no "who am I": any list of items tells a good token from a bad one. If a server has
# named no catalog, Kiosk asks for this one.
_FALLBACK_CATALOG = 1
# This comes along when a token is copied out of a request: quotes, the header's name and scheme,
# and the headers that follow.
_QUOTES = "\"'`\u201c\u201d\u201e\u201a\u2018\u2019\u00ab\u00bb"
_AROUND = _QUOTES + ",;<>{}\\"
_LABEL = re.compile(
    rf"^.*?\bbearer(?:[\s:{_QUOTES}]+|$)"
    rf"|^[\s{re.escape(_AROUND)}]*(?:authorization|(?:access[ _-]?)?token)[{_QUOTES}]?\s*[:=]",
    re.IGNORECASE | re.DOTALL,
)
# What a game answers when a player signs in.
_IN_JSON = re.compile(
    rf"[{_QUOTES}](?:access[ _-]?)?token[{_QUOTES}]\s*:\s*[{_QUOTES}]([^{_QUOTES}]+)", re.IGNORECASE
)
_END = re.compile(rf"[{_QUOTES}]|\s[\w-]+:(?:\s|$)", re.ASCII)
_BLANKS = re.compile(r"\s+")
_HEADER_VALUE = re.compile(r"[\x21-\x7e]+")


def bare_token(typed: str) -> str:
    """Strip invisible characters, quotes and a copied header from a token. Raises NoToken."""
    kept = (letter if letter.isspace() or is_visible(letter) else "\u00a0" for letter in typed)
    text = "".join(kept)
    if answered := _IN_JSON.search(text):
        text = answered[1]
    text = _LABEL.sub("", text, count=1).strip(_AROUND + string.whitespace + "\u00a0")
    text = _END.split(text, maxsplit=1)[0].strip(_AROUND + string.whitespace + "\u00a0")
    # A space separates words. A line break, or a blank of another kind, can be inside a token.
    token = _BLANKS.sub(lambda blanks: blanks[0] if blanks[0].strip(" \t") == "" else "", text)
    if not _HEADER_VALUE.fullmatch(token):
        raise errors.NoToken
    return token


class Accounts:
    def __init__(
        self,
        links: Links,
        client: game_client.GameClient,
        tasks: BackgroundTasks,
        source: errors.TokenSource | None = None,
    ) -> None:
        self.source = source or errors.TokenSource()
        self.links = links
        self._client = client
        self._tasks = tasks
        self._players = cache.TtlCache[int, int | None](tasks, lifetime=cache.SHARED_SECONDS)

    async def link(
        self, member_id: int, token: SecretStr, catalogs: abc.Sequence[int], locale: str = ""
    ) -> bool:
        """Check a token against the game and save it. Return whether the shop lets it in.

        `catalogs` are the ids that the member's server has named. Raises TokenRefused,
        TokenNotChecked, or the GameError that kept the game from answering.
        """
        may_shop = await self._check(
            game_client.Caller(member_id, token), catalogs or [_FALLBACK_CATALOG]
        )
        try:
            await self.links.save(member_id, token, locale)
        finally:
            self._forget(member_id)
        return may_shop

    async def unlink(self, member_id: int) -> bool:
        try:
            return await self.links.remove(member_id)
        finally:
            self._forget(member_id)

    async def keep(self, member_id: int) -> None:
        """Note that a member uses their token, so that Kiosk doesn't delete it."""
        await self.links.note_use(member_id)

    async def find(self, member_id: int) -> Link | None:
        """Return a member's link, good or refused. Raises LinkUnreadable."""
        try:
            return await self.links.find(member_id)
        except VaultError as error:
            raise errors.LinkUnreadable(source=self.source) from error

    async def require(self, member_id: int, *, to_look: bool = False) -> Link:
        """Return a valid link, to act with or only `to_look`. Raises AccountError."""
        return self.valid(await self.find(member_id), to_look=to_look)

    def valid(self, link: Link | None, *, to_look: bool = False) -> Link:
        """Return a link that was found. Raises NotLinked, NotLinkedToLook, LinkExpired."""
        if link is None:
            missing = errors.NotLinkedToLook if to_look else errors.NotLinked
            raise missing(source=self.source)
        if link.is_refused:
            raise errors.LinkExpired(source=self.source)
        return link

    async def player_of(self, member_id: int) -> int | None:
        return await self._players.get(member_id, self._known_player)

    async def _known_player(self, member_id: int) -> int | None:
        with contextlib.suppress(VaultError):
            if link := await self.links.find(member_id):
                return link.player_id
        return None

    @contextlib.asynccontextmanager
    async def using(
        self, link: Link, *, is_use: bool = True
    ) -> abc.AsyncGenerator[game_client.Caller]:
        """Yield a Caller with a link's token, for one request. A 401 marks the link: LinkExpired.

        Without `is_use`, the use isn't noted: the member hasn't asked for this request.
        """
        if is_use and link.used_at.date() < self.links.now().date():
            self._tasks.start(self._note_use(link), finish=True)
        try:
            yield game_client.Caller(link.member_id, link.token)
        except game_errors.Unauthorized as error:
            try:
                await self.links.mark_refused(link)
            except storage_errors.StatementFailed as failure:
                # The next request gets the same 401, and saves it.
                log.warning("Can't save that the game refused a token: %s", failure)
            self._client.forget(link.member_id)
            raise errors.LinkExpired(source=self.source) from error

    async def _note_use(self, link: Link) -> None:
        try:
            await self.links.note_use(link.member_id)
        except storage_errors.DatabaseError as error:
            # The next use is saved instead.
            log.info("Can't save that a token was used: %s", error)

    async def remember_player(self, link: Link, player: Player) -> None:
        """Note which player the member is, as the game said of their own comment."""
        known = (link.player_id, link.player_name)
        if player.id is None or known == (player.id, player.screen_name):
            return
        # If that can't be saved, the next comment says it again.
        with contextlib.suppress(storage_errors.StatementFailed):
            await self.links.remember_player(link, player.id, player.screen_name)
        self._players.forget(link.member_id.__eq__)

    def _forget(self, member_id: int) -> None:
        self._players.forget(member_id.__eq__)
        self._client.forget(member_id)

    async def _check(self, caller: game_client.Caller, catalogs: abc.Sequence[int]) -> bool:
        is_forbidden = False
        for catalog in catalogs:
            try:
                await self._client.try_token(caller, catalog)
            except game_errors.Unauthorized as error:
                raise errors.TokenRefused(source=self.source) from error
            except game_errors.NotFound:
                continue
            except game_errors.Forbidden:
                # It says nothing about the token.
                is_forbidden = True
                continue
            return True
        if is_forbidden:
            return False
        # If the token only met "not found", it is good if a made-up one is refused.
        stranger = game_client.Caller(caller.member_id, SecretStr(secrets.token_urlsafe(24)))
        with contextlib.suppress(game_errors.NotFound):
            try:
                await self._client.try_token(stranger, catalogs[0])
            except game_errors.Unauthorized:
                return True
        raise errors.TokenNotChecked(source=self.source)


def zipped(name: str, content: bytes) -> bytes:
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr(name, content)
    return archive.getvalue()
