-- Keeps uncounted_rooms, the direct rooms whose unread messages are no news for a member: their request is not accepted, or there is no
-- contact. So the sum of what is unread reads the member's rooms and no contacts. It stands beside the rows of the members, not in
-- them: a message locks those before it may accept a request, and what changes a contact would lock them in the other order.
CREATE OR REPLACE FUNCTION "note_uncounted_room"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF TG_OP <> 'DELETE' AND NEW.state = 'accepted' THEN
		DELETE FROM uncounted_rooms WHERE user_id = NEW.user_id AND chat_room_id = NEW.chat_room_id;
	ELSE
		INSERT INTO uncounted_rooms (user_id, chat_room_id)
		SELECT p.user_id, p.chat_room_id FROM chat_participants p
		WHERE (p.chat_room_id, p.user_id) = (coalesce(NEW.chat_room_id, OLD.chat_room_id), coalesce(NEW.user_id, OLD.user_id))
		ON CONFLICT DO NOTHING;
	END IF;
	RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER "contacts_uncounted" AFTER INSERT OR DELETE OR UPDATE OF "state" ON "contacts" FOR EACH ROW EXECUTE FUNCTION note_uncounted_room();
