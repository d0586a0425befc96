-- The members of a room, the state of the contact that each has in it, and whether each is told of what the actor does there.
-- In a direct room someone who declined the actor's request, or blocks the actor, is not told. A group has no contacts: everyone is told.
CREATE OR REPLACE FUNCTION "audience_of"("room" text, "actor" uuid)
RETURNS TABLE ("member_id" uuid, "contact_state" text, "is_told" boolean)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
	SELECT m.user_id, c.state, c.state IS DISTINCT FROM 'declined' AND c.is_blocked IS NOT TRUE
	FROM chat_participants m
	LEFT JOIN contacts c ON c.chat_room_id = m.chat_room_id AND c.user_id = m.user_id AND m.user_id <> actor
	WHERE m.chat_room_id = room
$$;
