-- Order of locks: accounts, devices, transfers by their ids.

-- Registers an offer. The verdict is the code of a refusal, or
-- offered,
-- known: it is registered already, whatever has become of it.
CREATE OR REPLACE FUNCTION "offer_transfer"(
	"p_session" bytea, "p_user" uuid, "p_device" text, "p_id" uuid, "p_to" uuid, "p_bytes" integer, "p_now" timestamp with time zone,
	"p_idle_since" timestamp with time zone, "p_open_since" timestamp with time zone, "p_live_max" integer)
RETURNS text
LANGUAGE plpgsql VOLATILE AS $$
DECLARE
	known transfers%ROWTYPE;
	judged text;
BEGIN
	-- Deletion of either account, and removal of the device, come before or after. The sender's offers take turns, for their number.
	PERFORM FROM users WHERE id = p_to FOR KEY SHARE;
	PERFORM FROM users WHERE id = p_user FOR NO KEY UPDATE;
	PERFORM FROM devices WHERE user_id = p_user AND id = p_device AND unlock_secret IS NOT NULL FOR SHARE;
	IF NOT FOUND THEN
		RETURN 'device_required';
	END IF;

	SELECT * INTO known FROM transfers WHERE id = p_id;
	IF known.id IS NOT NULL THEN
		RETURN CASE WHEN (known.sender_id, known.receiver_id, known.sender_device, known.bytes) IS NOT DISTINCT FROM (p_user, p_to, p_device, p_bytes)
			THEN 'known' ELSE 'transfer_over' END;
	END IF;

	SELECT CASE
			WHEN s.user_id IS NULL OR u.id IS NULL OR NOT u.is_active OR u.deleted_at IS NOT NULL THEN 'not_signed_in'
			-- [Note: D4] LIMITS.proofSeconds
			WHEN s.proven_at IS NULL OR s.proven_at <= p_now - interval '1 day' THEN 'device_required'
			WHEN rights.can_share_files IS NOT TRUE THEN 'subscription_required'
			WHEN r.is_closed THEN 'account_deleted'
			-- A receiver who blocks the sender looks as before.
			WHEN (c.state = 'accepted' AND theirs.state = 'accepted' AND NOT c.is_blocked) IS NOT TRUE THEN 'not_a_contact'
			WHEN m.is_protected AND NOT EXISTS (
				SELECT FROM open_chats o WHERE o.chat_room_id = m.chat_room_id AND o.user_id = m.user_id
					AND o.session_hash = p_session AND o.used_at > p_open_since) THEN 'chat_locked'
			WHEN (SELECT count(*) FROM transfers o WHERE o.sender_id = p_user AND o.ended_at IS NULL) >= p_live_max THEN 'too_many_requests'
			ELSE 'offered'
		END
	INTO judged
	FROM (SELECT) one
	LEFT JOIN sessions s ON s.token_hash = p_session AND s.user_id = p_user AND s.expires_at > p_now AND s.last_used_at > p_idle_since
	LEFT JOIN users u ON u.id = p_user
	LEFT JOIN LATERAL rights_of(p_user, p_now) rights ON true
	LEFT JOIN contacts c ON c.user_id = p_user AND c.contact_user_id = p_to
	LEFT JOIN contacts theirs ON theirs.user_id = p_to AND theirs.contact_user_id = p_user
	LEFT JOIN chat_rooms r ON r.id = c.chat_room_id
	LEFT JOIN chat_participants m ON m.chat_room_id = c.chat_room_id AND m.user_id = p_user;

	IF judged = 'offered' THEN
		INSERT INTO transfers (id, sender_id, receiver_id, sender_device, bytes, created_at)
		VALUES (p_id, p_user, p_to, p_device, p_bytes, p_now)
		ON CONFLICT (id) DO NOTHING;
		-- Another account has chosen the same id.
		IF NOT FOUND THEN
			judged := 'transfer_over';
		END IF;
	END IF;
	RETURN judged;
END $$;

-- Begins an attempt by the receiver, whose first device to do so has the transfer. The verdict is the code of a refusal, or
-- accepted: by this device, now,
-- attempt: another one of this device,
-- old: a newer one has begun, or this one.
-- `from_device` is the sender's; `is_heard` says whether the sender may hear of it, which the receiver is not told.
CREATE OR REPLACE FUNCTION "accept_transfer"(
	"p_session" bytea, "p_user" uuid, "p_device" text, "p_id" uuid, "p_from" uuid, "p_attempt" integer,
	"p_live_since" timestamp with time zone, "p_open_since" timestamp with time zone)
RETURNS TABLE ("verdict" text, "from_device" text, "is_heard" boolean)
LANGUAGE plpgsql VOLATILE AS $$
#variable_conflict use_column
DECLARE
	known transfers%ROWTYPE;
	judged text;
	hears boolean;
BEGIN
	PERFORM FROM devices WHERE user_id = p_user AND id = p_device AND unlock_secret IS NOT NULL FOR SHARE;
	IF NOT FOUND THEN
		RETURN QUERY SELECT 'device_required', NULL::text, false;
		RETURN;
	END IF;
	SELECT * INTO known FROM transfers WHERE id = p_id AND sender_id = p_from AND receiver_id = p_user FOR NO KEY UPDATE;
	SELECT CASE
			WHEN known.id IS NULL OR known.ended_at IS NOT NULL OR known.sender_device IS NULL OR known.created_at <= p_live_since
				THEN 'transfer_over'
			-- A sender who blocks the receiver looks as if away.
			WHEN (c.state = 'accepted' AND theirs.state = 'accepted' AND NOT c.is_blocked) IS NOT TRUE THEN 'not_a_contact'
			WHEN known.receiver_device <> p_device THEN 'transfer_elsewhere'
			WHEN m.is_protected AND NOT EXISTS (
				SELECT FROM open_chats o WHERE o.chat_room_id = m.chat_room_id AND o.user_id = m.user_id
					AND o.session_hash = p_session AND o.used_at > p_open_since) THEN 'chat_locked'
			WHEN known.attempt >= p_attempt THEN 'old'
			WHEN known.receiver_device IS NULL THEN 'accepted'
			ELSE 'attempt'
		END, theirs.is_blocked IS NOT TRUE
	INTO judged, hears
	FROM (SELECT) one
	LEFT JOIN contacts c ON c.user_id = p_user AND c.contact_user_id = p_from
	LEFT JOIN contacts theirs ON theirs.user_id = p_from AND theirs.contact_user_id = p_user
	LEFT JOIN chat_participants m ON m.chat_room_id = c.chat_room_id AND m.user_id = p_user;
	IF judged IN ('accepted', 'attempt') THEN
		UPDATE transfers SET receiver_device = p_device, attempt = p_attempt WHERE id = p_id;
	END IF;
	RETURN QUERY SELECT judged, known.sender_device, hears;
END $$;

-- Ends a transfer. The verdict is the code of a refusal, or
-- ended,
-- over: it has ended before.
CREATE OR REPLACE FUNCTION "end_transfer"("p_user" uuid, "p_device" text, "p_id" uuid, "p_reason" text, "p_now" timestamp with time zone,
	"p_live_since" timestamp with time zone)
RETURNS text
LANGUAGE plpgsql VOLATILE AS $$
DECLARE
	known transfers%ROWTYPE;
	is_sender boolean;
	may boolean;
BEGIN
	SELECT * INTO known FROM transfers WHERE id = p_id AND p_user IN (sender_id, receiver_id) FOR NO KEY UPDATE;
	is_sender := known.sender_id = p_user;
	may := CASE
		WHEN p_reason = 'cancelled' THEN true
		WHEN p_reason = 'declined' THEN NOT is_sender
		WHEN p_reason IN ('done', 'forged') THEN NOT is_sender AND known.receiver_device IS NOT NULL
		WHEN p_reason = 'changed' THEN is_sender AND (known.sender_device = p_device OR known.ended_at IS NOT NULL)
		ELSE false
	END;
	IF known.id IS NULL THEN
		RETURN 'not_found';
	ELSIF may IS NOT TRUE THEN
		RETURN 'invalid_input';
	ELSIF known.ended_at IS NOT NULL OR known.sender_device IS NULL OR known.created_at <= p_live_since THEN
		RETURN 'over';
	ELSIF p_reason IN ('done', 'forged') AND known.receiver_device <> p_device THEN
		RETURN 'transfer_elsewhere';
	END IF;
	UPDATE transfers SET ended_at = p_now, end_reason = p_reason WHERE id = p_id;
	RETURN 'ended';
END $$;

-- Counts the transfer's bytes, once, for both accounts, before the relay is given to one of them. The verdict is the code of a refusal, or
-- given.
CREATE OR REPLACE FUNCTION "relay_transfer"("p_user" uuid, "p_device" text, "p_id" uuid, "p_is_counted" boolean,
	"p_now" timestamp with time zone, "p_live_since" timestamp with time zone, "p_day_since" timestamp with time zone, "p_most" bigint)
RETURNS text
LANGUAGE plpgsql VOLATILE AS $$
DECLARE
	known transfers%ROWTYPE;
BEGIN
	SELECT * INTO known FROM transfers WHERE id = p_id;
	-- Of two transfers of one account one gets the last bytes. No row of an account is locked: its deletion locks several.
	PERFORM pg_advisory_xact_lock(7302119, key)
	FROM (SELECT DISTINCT hashtext(account::text) AS key FROM unnest(ARRAY[known.sender_id, known.receiver_id]) account
		WHERE account IS NOT NULL ORDER BY key) accounts;
	SELECT * INTO known FROM transfers
	WHERE id = p_id AND ended_at IS NULL AND created_at > p_live_since AND sender_device IS NOT NULL AND receiver_device IS NOT NULL
		AND (p_user, p_device) IN ((sender_id, sender_device), (receiver_id, receiver_device))
	FOR NO KEY UPDATE;
	IF known.id IS NULL THEN
		RETURN 'not_found';
	ELSIF known.relayed_at IS NOT NULL OR NOT p_is_counted THEN
		RETURN 'given';
	ELSIF EXISTS (
		SELECT FROM unnest(ARRAY[known.sender_id, known.receiver_id]) account
		WHERE known.bytes + (
			SELECT coalesce(sum(o.bytes), 0) FROM transfers o
			WHERE (o.sender_id = account OR o.receiver_id = account) AND o.relayed_at > p_day_since) > p_most) THEN
		RETURN 'relay_limit_reached';
	END IF;
	UPDATE transfers SET relayed_at = p_now WHERE id = p_id;
	RETURN 'given';
END $$;

-- Devices are gone for good. Who sends by one sends no more: a job ends these and tells of it. Another device may accept what one has accepted.
CREATE OR REPLACE FUNCTION "leave_transfers"("p_users" uuid[], "p_devices" text[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	PERFORM FROM transfers t JOIN unnest(p_users, p_devices) AS gone(user_id, id)
		ON (t.sender_id, t.sender_device) = (gone.user_id, gone.id) OR (t.receiver_id, t.receiver_device) = (gone.user_id, gone.id)
		ORDER BY t.id FOR NO KEY UPDATE OF t;
	UPDATE transfers t SET sender_device = NULL FROM unnest(p_users, p_devices) AS gone(user_id, id)
	WHERE (t.sender_id, t.sender_device) = (gone.user_id, gone.id);
	UPDATE transfers t SET receiver_device = NULL FROM unnest(p_users, p_devices) AS gone(user_id, id)
	WHERE (t.receiver_id, t.receiver_device) = (gone.user_id, gone.id);
END $$;

CREATE OR REPLACE FUNCTION "leave_transfers_of_removed"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	PERFORM leave_transfers(array_agg(user_id), array_agg(id)) FROM gone;
	RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER "devices_gone" AFTER DELETE ON "devices" REFERENCING OLD TABLE AS gone
	FOR EACH STATEMENT EXECUTE FUNCTION leave_transfers_of_removed();

CREATE OR REPLACE FUNCTION "leave_transfers_of_signed_out"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	PERFORM leave_transfers(ARRAY[OLD.user_id], ARRAY[OLD.id]);
	RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER "devices_signed_out" AFTER UPDATE OF "unlock_secret" ON "devices" FOR EACH ROW
	WHEN (NEW.unlock_secret IS NULL) EXECUTE FUNCTION leave_transfers_of_signed_out();
