"""What happens to a card or a setting if a feature fails at a hook."""

from bot.ui.drawing import Card
from bot.ui.here import Here
from storage.links import Link
from storage.storage_errors import DatabaseError
from tests.support.cards import text_of
from tests.support.roles import givable
from tests.support.world import SUBSCRIBER, World


async def test_a_card_lacks_only_what_the_feature_would_say(world: World) -> None:
    async def fail(_here: Here, _card: Card, _link: Link | None) -> None:
        raise DatabaseError

    async def add_line(_here: Here, card: Card, _link: Link | None) -> None:
        card.say("A line of the next feature.")

    world.bot.hooks.account_shown.add(fail)
    world.bot.hooks.account_shown.add(add_line)
    await world.settle(world.member, SUBSCRIBER)

    shown = text_of(await world.slash("account show"))

    assert "You post and shop as yourself" in shown
    assert "A line of the next feature." in shown


async def test_no_moderators_role_is_set_unless_it_is_known_which_roles_are_given(
    world: World,
) -> None:
    async def fail(_guild_id: int) -> frozenset[int]:
        raise DatabaseError

    helpers = givable(world, "Helpers")
    world.bot.hooks.given_roles.add(fail)

    said = text_of(await world.manage("Moderation", moderator_role_id=[helpers]))

    assert "Kiosk can't use its database" in said
    settings = await world.bot.features.moderation.settings.find(world.guild.id)
    assert settings.moderator_role_id is None
