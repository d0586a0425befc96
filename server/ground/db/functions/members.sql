-- A member who has received already and now reads: not everybody may learn of that.
CREATE OR REPLACE FUNCTION "mark_member_changed"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	-- An inbox has compared the row.
	IF OLD.is_new_to_member > NEW.is_new_to_member OR OLD.is_new_to_peer > NEW.is_new_to_peer THEN
		RETURN NEW;
	END IF;
	NEW.is_new_to_member := true;
	-- What only this member sees of the room.
	IF (OLD.muted_until, OLD.cleared_seq, OLD.withheld, OLD.is_protected, OLD.delivered_seq, OLD.read_seq)
		IS DISTINCT FROM (NEW.muted_until, NEW.cleared_seq, NEW.withheld, NEW.is_protected, NEW.delivered_seq, NEW.read_seq) THEN
		NEW.own_changed_in := pg_current_xact_id();
		IF (coalesce(OLD.shown_delivered_seq, OLD.delivered_seq), coalesce(OLD.shown_read_seq, OLD.read_seq))
			IS NOT DISTINCT FROM (coalesce(NEW.shown_delivered_seq, NEW.delivered_seq), coalesce(NEW.shown_read_seq, NEW.read_seq)) THEN
			RETURN NEW;
		END IF;
	END IF;
	NEW.is_new_to_peer := true;
	IF coalesce(NEW.shown_read_seq, NEW.read_seq) > coalesce(OLD.shown_read_seq, OLD.read_seq)
		AND coalesce(NEW.shown_delivered_seq, NEW.delivered_seq) = coalesce(OLD.shown_delivered_seq, OLD.delivered_seq) THEN
		NEW.read_changed_in := pg_current_xact_id();
	ELSE
		NEW.changed_in := pg_current_xact_id();
	END IF;
	RETURN NEW;
END $$;

-- One trigger with a short condition, because each statement reads the conditions of a table's triggers anew. A statement that writes
-- changed_in itself, as the append does, needs no call for each row.
CREATE OR REPLACE TRIGGER "chat_participants_changed" BEFORE UPDATE ON "chat_participants" FOR EACH ROW
	WHEN (OLD.changed_in = NEW.changed_in) EXECUTE FUNCTION mark_member_changed();

-- A commit changes the row of each member, as a message does: the list finds all that is new of a room in these rows.
CREATE OR REPLACE FUNCTION "mark_members_changed"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	-- Marks lock members by key, without the room.
	PERFORM FROM chat_participants WHERE chat_room_id = NEW.id ORDER BY user_id FOR NO KEY UPDATE;
	-- Their own trigger writes the transaction.
	UPDATE chat_participants SET changed_in = changed_in WHERE chat_room_id = NEW.id;
	RETURN NULL;
END $$;

-- A commit alone writes the epoch. Appending messages updates the members itself, those of all rooms by key: a trigger of the rooms would
-- lock some of them before.
CREATE OR REPLACE TRIGGER "chat_rooms_members_changed" AFTER UPDATE OF "epoch" ON "chat_rooms" FOR EACH ROW
	EXECUTE FUNCTION mark_members_changed();

-- A member who leaves a room that is not direct has no row that could say so: the rows of those who stay do, and whoever is gone reads
-- their list anew. Members of direct rooms stay.
CREATE OR REPLACE FUNCTION "mark_members_gone"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF EXISTS (SELECT FROM gone WHERE chat_room_id LIKE 'room\_%') THEN
		-- Their own trigger writes the transaction.
		UPDATE chat_participants SET changed_in = changed_in
		WHERE chat_room_id IN (SELECT chat_room_id FROM gone WHERE chat_room_id LIKE 'room\_%');
		INSERT INTO list_floors (user_id)
		SELECT u.id FROM users u WHERE u.id IN (SELECT user_id FROM gone WHERE chat_room_id LIKE 'room\_%') ORDER BY u.id
		ON CONFLICT (user_id) DO UPDATE SET changed_in = excluded.changed_in;
	END IF;
	RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER "chat_participants_gone" AFTER DELETE ON "chat_participants" REFERENCING OLD TABLE AS gone
	FOR EACH STATEMENT EXECUTE FUNCTION mark_members_gone();
