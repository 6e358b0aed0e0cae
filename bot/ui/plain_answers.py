"""Answer interactions without reading back what was sent."""

from typing import Any

import aiohttp
from discord.http import MultipartParameters
from discord.webhook.async_ import AsyncWebhookAdapter, async_context


class _PlainAnswers(AsyncWebhookAdapter):
    """discord.py's own way to Discord, but for the message in an answer's answer.

    discord.py asks for it always and makes objects of all its components, which nobody uses.
    """

    async def create_interaction_response(
        self,
        interaction_id: int,
        token: str,
        *,
        session: aiohttp.ClientSession,
        proxy: str | None = None,
        proxy_auth: aiohttp.BasicAuth | None = None,
        params: MultipartParameters,
    ) -> Any:
        """Return what Discord tells of the interaction alone."""
        answer = await super().create_interaction_response(
            interaction_id,
            token,
            session=session,
            proxy=proxy,
            proxy_auth=proxy_auth,
            params=params,
        )
        return {"interaction": answer["interaction"]}


def answer_plainly() -> None:
    """Answer in this way from here on."""
    async_context.set(_PlainAnswers())
