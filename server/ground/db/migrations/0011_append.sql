-- A message of before keeps a null hash: log_entry_hash makes it from the content while that is there. Counts begin with the next message.
ALTER TABLE "messages" ADD COLUMN "is_silent" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "messages" ADD COLUMN "content_hash" "bytea";--> statement-breakpoint
ALTER TABLE "chat_participants" ADD COLUMN "uncounted_seq" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "chat_participants" ADD COLUMN "received_count" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "chat_participants" ADD COLUMN "received_month" timestamp (3) with time zone;
--> statement-breakpoint
-- What [Note: M5] hashes of a message: SHA-256 over the label and the content, each behind its length.
CREATE FUNCTION "log_entry_hash"("content" text) RETURNS bytea
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
	SELECT sha256('\x00000015'::bytea || convert_to('conclave/log-entry/v1', 'UTF8') || int4send(octet_length(content)) || convert_to(content, 'UTF8'))
$$;
--> statement-breakpoint
-- Appends messages: under its room's lock each takes the next seq, is refused, or is found to be stored already. At most one of a
-- room and one of a sender in a call, so nothing has to be numbered. The version in its name lets servers of before and of after
-- work on one database: a change is a function of another name, and this one goes when no server calls it.
-- A cached plan stays right whatever the tables hold: rows are looked up by keys alone, from the messages outwards, and the ways to
-- read a whole table are switched off. "(a = b) IS TRUE" keeps a condition from choosing an index that is not the whole key.
CREATE FUNCTION "append_messages_v1"(
	"p_sessions" bytea[], "p_senders" uuid[], "p_rooms" text[], "p_ids" uuid[], "p_contents" text[], "p_types" text[],
	"p_paths" text[], "p_names" text[], "p_sizes" bigint[], "p_replies" uuid[], "p_groups" text[], "p_epochs" bigint[],
	"p_silent" boolean[], "p_now" timestamp with time zone, "p_idle_since" timestamp with time zone, "p_month" timestamp with time zone)
RETURNS TABLE ("verdict" text, "seq" bigint, "listeners" text, "more" json)
LANGUAGE plpgsql VOLATILE
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off
SET enable_mergejoin = off SET enable_material = off SET enable_memoize = off SET jit = off
AS $$
#variable_conflict use_column
DECLARE
	verdicts text[];
	seqs bigint[];
	told text[];
	details json[];
	-- Of those that are stored, in one order.
	rooms text[];
	senders uuid[];
	places bigint[];
	silent boolean[];
	-- "room member" of those who have blocked the sender.
	unheard text[];
	requests text[];
BEGIN
	-- Every transaction locks in this order: rooms, then senders, each sorted. What follows sees everything committed before.
	PERFORM id FROM chat_rooms WHERE id = ANY (p_rooms) ORDER BY id FOR NO KEY UPDATE;
	PERFORM id FROM users WHERE id = ANY (p_senders) ORDER BY id FOR NO KEY UPDATE;

	SELECT array_agg(j.verdict ORDER BY j.place),
		array_agg(CASE j.verdict WHEN 'stored' THEN j.last_seq + 1 WHEN 'known' THEN j.known_seq END ORDER BY j.place),
		array_agg(CASE WHEN j.verdict = 'stored' THEN j.listeners END ORDER BY j.place),
		array_agg(CASE
			WHEN j.verdict = 'stored' AND (j.is_request OR j.lapsed IS NOT NULL) AND NOT j.is_silent THEN json_build_object(
				'members', j.members, 'lapsed', coalesce(j.lapsed, '{}'), 'hasAccepted', coalesce(j.is_request, false))
			WHEN j.verdict = 'stale_epoch' THEN json_build_object('members', j.members, 'generation', j.generation,
				'groupId', j.room_group_id, 'epoch', j.room_epoch, 'lastSeq', j.last_seq, 'needsCommit', j.needs_commit)
			WHEN j.verdict = 'message_limit_reached' THEN json_build_object('messagesPerMonth', j.messages_per_month)
		END ORDER BY j.place),
		coalesce(array_agg(j.chat_room_id ORDER BY j.place) FILTER (WHERE j.verdict = 'stored'), '{}'),
		coalesce(array_agg(j.sender_id ORDER BY j.place) FILTER (WHERE j.verdict = 'stored'), '{}'),
		coalesce(array_agg(j.last_seq + 1 ORDER BY j.place) FILTER (WHERE j.verdict = 'stored'), '{}'),
		coalesce(array_agg(j.is_silent ORDER BY j.place) FILTER (WHERE j.verdict = 'stored'), '{}'),
		string_to_array(string_agg(j.unheard, ',' ORDER BY j.place) FILTER (WHERE j.verdict = 'stored'), ','),
		coalesce(array_agg(j.chat_room_id ORDER BY j.place) FILTER (WHERE j.verdict = 'stored' AND j.is_request AND NOT j.is_silent), '{}')
	INTO verdicts, seqs, told, details, rooms, senders, places, silent, unheard, requests
	FROM (
		SELECT p.place, p.chat_room_id, p.sender_id, p.is_silent, known.seq AS known_seq, r.last_seq, r.generation,
			r.group_id AS room_group_id, r.epoch AS room_epoch, r.needs_commit, rights.messages_per_month,
			a.members, a.listeners, a.lapsed, a.is_request, a.unheard,
			CASE
				WHEN s.user_id IS NULL OR u.id IS NULL OR NOT u.is_active OR u.deleted_at IS NOT NULL THEN 'not_signed_in'
				WHEN s.proven_at IS NULL AND (u.public_key IS NOT NULL OR p.epoch IS NOT NULL) THEN 'device_required'
				WHEN a.is_member IS NOT TRUE THEN 'not_found'
				WHEN known.seq IS NOT NULL THEN 'known'
				WHEN r.is_closed THEN 'account_deleted'
				WHEN rights.can_send IS NOT TRUE THEN 'subscription_required'
				WHEN p.epoch IS NOT NULL AND (r.needs_commit OR (p.group_id, p.epoch) IS DISTINCT FROM (r.group_id, r.epoch::bigint))
					THEN 'stale_epoch'
				WHEN NOT p.is_silent AND rights.messages_per_month >= 0
					AND CASE WHEN u.usage_reset_date < p_month THEN 0 ELSE u.monthly_messages_count END >= rights.messages_per_month
					THEN 'message_limit_reached'
				ELSE 'stored'
			END AS verdict
		FROM unnest(p_sessions, p_senders, p_rooms, p_ids, p_groups, p_epochs, p_silent) WITH ORDINALITY
			AS p(session, sender_id, chat_room_id, id, group_id, epoch, is_silent, place)
		LEFT JOIN sessions s ON s.token_hash = p.session AND (s.user_id = p.sender_id) IS TRUE
			AND s.expires_at > p_now AND s.last_used_at > p_idle_since
		LEFT JOIN users u ON u.id = p.sender_id
		LEFT JOIN LATERAL rights_of(p.sender_id, p_now) rights ON true
		LEFT JOIN chat_rooms r ON r.id = p.chat_room_id
		LEFT JOIN messages known ON known.chat_room_id = p.chat_room_id AND known.sender_id = p.sender_id AND known.id = p.id
		LEFT JOIN LATERAL (
			SELECT bool_or(m.user_id = p.sender_id) AS is_member,
				array_agg(m.user_id) AS members,
				-- A member who has declined the sender is told nothing, and one who has blocked the sender has nothing unread either.
				string_agg(m.user_id::text, ' ') FILTER (WHERE m.user_id = p.sender_id
					OR c.state IS DISTINCT FROM 'declined' AND c.is_blocked IS NOT TRUE) AS listeners,
				array_agg(m.user_id) FILTER (WHERE m.user_id <> p.sender_id AND c.state IS NULL AND r.type = 'direct') AS lapsed,
				bool_or(m.user_id = p.sender_id AND c.state <> 'accepted') AS is_request,
				string_agg(m.chat_room_id || ' ' || m.user_id, ',') FILTER (WHERE m.user_id <> p.sender_id AND c.is_blocked) AS unheard
			FROM chat_participants m
			LEFT JOIN contacts c ON c.chat_room_id = m.chat_room_id AND (c.user_id = m.user_id) IS TRUE
			WHERE m.chat_room_id = p.chat_room_id) a ON true
	) j;

	IF cardinality(rooms) > 0 THEN
		INSERT INTO messages (chat_room_id, seq, id, sender_id, content, content_hash, message_type, file_path, file_name, file_size,
			is_encrypted, is_silent, reply_to_id, created_at)
		SELECT p.chat_room_id, p.seq, p.id, p.sender_id, p.content, log_entry_hash(p.content), p.message_type, p.file_path, p.file_name,
			p.file_size, p.epoch IS NOT NULL, p.is_silent, p.reply_to_id, p_now
		FROM unnest(verdicts, seqs, p_rooms, p_ids, p_senders, p_contents, p_types, p_paths, p_names, p_sizes, p_epochs, p_silent, p_replies)
			AS p(verdict, seq, chat_room_id, id, sender_id, content, message_type, file_path, file_name, file_size, epoch, is_silent, reply_to_id)
		WHERE p.verdict = 'stored';

		UPDATE chat_rooms SET
			last_seq = last_seq + 1,
			last_message_seq = CASE WHEN silent[array_position(rooms, id)] THEN last_message_seq ELSE last_seq + 1 END,
			last_message_at = CASE WHEN silent[array_position(rooms, id)] THEN last_message_at ELSE p_now END
		WHERE id = ANY (rooms);

		-- The row of each member, the sender's too: whatever a member's list shows of the room changes here and nowhere else.
		UPDATE chat_participants m SET (unread_count, uncounted_seq, read_seq, delivered_seq, received_count, received_month) = (
			SELECT
				CASE WHEN is_own OR is_silent THEN m.unread_count WHEN is_unheard THEN 0 ELSE m.unread_count + 1 END,
				CASE WHEN is_unheard THEN seq ELSE m.uncounted_seq END,
				CASE WHEN is_own AND m.unread_count = 0 THEN seq ELSE m.read_seq END,
				CASE WHEN is_own AND m.unread_count = 0 THEN seq ELSE m.delivered_seq END,
				CASE WHEN is_own OR is_silent OR is_unheard THEN m.received_count WHEN m.received_month >= p_month THEN m.received_count + 1 ELSE 1 END,
				CASE WHEN is_own OR is_silent OR is_unheard THEN m.received_month ELSE greatest(m.received_month, p_month) END
			FROM (
				SELECT m.user_id = senders[at] AS is_own, silent[at] AS is_silent, places[at] AS seq,
					unheard IS NOT NULL AND m.chat_room_id || ' ' || m.user_id = ANY (unheard) AS is_unheard
				FROM (SELECT array_position(rooms, m.chat_room_id) AS at) found) news)
		WHERE m.chat_room_id = ANY (rooms);

		UPDATE users SET
			monthly_messages_count = CASE WHEN usage_reset_date < p_month THEN 0 ELSE monthly_messages_count END + 1,
			usage_reset_date = greatest(usage_reset_date, p_month)
		WHERE id = ANY (senders) AND NOT silent[array_position(senders, id)];

		IF cardinality(requests) > 0 THEN
			UPDATE contacts SET state = 'accepted'
			WHERE chat_room_id = ANY (requests) AND (user_id = senders[array_position(rooms, chat_room_id)]) IS TRUE AND state <> 'accepted';
		END IF;
	END IF;

	RETURN QUERY SELECT * FROM unnest(verdicts, seqs, told, details);
END $$;
