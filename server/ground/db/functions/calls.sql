-- Each function locks the row of the call first, then those of monthly_usage; answer_call the rows of both accounts before these.

-- Rings, or makes another attempt of a call [Note: M3]. The verdict is the code of a refusal, or
-- rings: a call that nobody has accepted; `is_heard` says whether the callee may hear of it, which the caller is not told,
-- attempt: of an answered call, for the session `answered_by` alone,
-- old: an attempt that a newer one has replaced.
CREATE OR REPLACE FUNCTION "ring_call"(
	"p_session" bytea, "p_user" uuid, "p_id" uuid, "p_to" uuid, "p_type" text, "p_attempt" integer, "p_device" text, "p_signal" text,
	"p_now" timestamp with time zone, "p_idle_since" timestamp with time zone, "p_month" timestamp with time zone,
	"p_open_since" timestamp with time zone, "p_rings_since" timestamp with time zone, "p_live_max" integer)
RETURNS TABLE ("verdict" text, "is_heard" boolean, "answered_by" bytea, "rang_type" text)
LANGUAGE plpgsql VOLATILE AS $$
#variable_conflict use_column
DECLARE
	known calls%ROWTYPE;
	judged text;
	hears boolean;
BEGIN
	SELECT * INTO known FROM calls WHERE id = p_id FOR NO KEY UPDATE;
	IF known.id IS NOT NULL AND ((known.caller_id, known.callee_id, known.caller_session) IS DISTINCT FROM (p_user, p_to, p_session)
		OR known.ended_at IS NOT NULL OR (known.answered_at IS NULL AND known.rang_at <= p_rings_since)) THEN
		RETURN QUERY SELECT 'call_over', false, NULL::bytea, NULL::text;
		RETURN;
	END IF;

	SELECT CASE
			WHEN s.user_id IS NULL OR u.id IS NULL OR NOT u.is_active OR u.deleted_at IS NOT NULL THEN 'not_signed_in'
			-- [Note: D4] LIMITS.proofSeconds
			WHEN s.proven_at IS NULL OR s.proven_at <= p_now - interval '1 day' THEN 'device_required'
			WHEN known.attempt >= p_attempt THEN 'old'
			WHEN known.answered_at IS NOT NULL THEN 'attempt'
			WHEN rights.can_call IS NOT TRUE THEN 'subscription_required'
			WHEN r.is_closed THEN 'account_deleted'
			-- A callee who blocks the caller looks as before.
			WHEN (c.state = 'accepted' AND theirs.state = 'accepted' AND NOT c.is_blocked) IS NOT TRUE THEN 'not_a_contact'
			WHEN m.is_protected AND NOT EXISTS (
				SELECT FROM open_chats o WHERE o.chat_room_id = m.chat_room_id AND o.user_id = m.user_id
					AND o.session_hash = p_session AND o.used_at > p_open_since) THEN 'chat_locked'
			WHEN allowed.minutes >= 0 AND coalesce(used.minutes, 0) >= allowed.minutes THEN 'call_minutes_reached'
			WHEN (SELECT count(*) FROM calls o WHERE o.caller_id = p_user AND o.ended_at IS NULL AND o.id <> p_id) >= p_live_max
				THEN 'too_many_requests'
			ELSE 'rings'
		END, theirs.is_blocked IS NOT TRUE AND known.is_rung IS NOT FALSE
	INTO judged, hears
	FROM (SELECT coalesce(known.call_type, p_type) AS type) asked
	LEFT JOIN sessions s ON s.token_hash = p_session AND s.user_id = p_user AND s.expires_at > p_now AND s.last_used_at > p_idle_since
	LEFT JOIN users u ON u.id = p_user
	LEFT JOIN LATERAL rights_of(p_user, p_now) rights ON true
	LEFT JOIN LATERAL (
		SELECT CASE asked.type WHEN 'video' THEN rights.video_call_minutes ELSE rights.voice_call_minutes END AS minutes) allowed ON true
	LEFT JOIN LATERAL (
		SELECT CASE asked.type WHEN 'video' THEN g.video_call_minutes ELSE g.voice_call_minutes END AS minutes
		FROM monthly_usage g WHERE g.user_id = p_user AND g.month >= p_month) used ON true
	LEFT JOIN contacts c ON c.user_id = p_user AND c.contact_user_id = p_to
	LEFT JOIN contacts theirs ON theirs.user_id = p_to AND theirs.contact_user_id = p_user
	LEFT JOIN chat_rooms r ON r.id = c.chat_room_id
	LEFT JOIN chat_participants m ON m.chat_room_id = c.chat_room_id AND m.user_id = p_user;

	IF judged = 'rings' THEN
		INSERT INTO calls AS o (id, caller_id, callee_id, call_type, attempt, caller_session, caller_device, signal, is_rung, rang_at)
		VALUES (p_id, p_user, p_to, p_type, p_attempt, p_session, p_device, p_signal, hears, p_now)
		ON CONFLICT (id) DO UPDATE SET attempt = p_attempt, caller_device = p_device, signal = p_signal, is_rung = hears
			WHERE (o.caller_id, o.callee_id, o.caller_session) = (p_user, p_to, p_session) AND o.ended_at IS NULL AND o.answered_at IS NULL;
		IF NOT FOUND THEN
			judged := 'call_over';
		END IF;
	ELSIF judged = 'attempt' THEN
		UPDATE calls SET attempt = p_attempt WHERE id = p_id;
	END IF;
	RETURN QUERY SELECT judged, judged = 'rings' AND hears, known.callee_session, coalesce(known.call_type, p_type);
END $$;

-- Counts one begun minute for the caller, and of a video call for a callee whose plan cannot call. False: the caller's plan has none left.
CREATE OR REPLACE FUNCTION "take_call_minute"("p_caller" uuid, "p_callee" uuid, "p_type" text, "p_now" timestamp with time zone,
	"p_month" timestamp with time zone)
RETURNS boolean
LANGUAGE plpgsql VOLATILE AS $$
BEGIN
	INSERT INTO monthly_usage AS g (user_id, month, voice_call_minutes, video_call_minutes)
	SELECT p_caller, p_month, (p_type = 'voice')::integer, (p_type = 'video')::integer
	FROM rights_of(p_caller, p_now) rights
	WHERE rights.can_call AND CASE p_type WHEN 'video' THEN rights.video_call_minutes ELSE rights.voice_call_minutes END <> 0
	ON CONFLICT (user_id) DO UPDATE SET
		month = greatest(g.month, p_month),
		voice_call_minutes = CASE WHEN g.month < p_month THEN 0 ELSE g.voice_call_minutes END + excluded.voice_call_minutes,
		video_call_minutes = CASE WHEN g.month < p_month THEN 0 ELSE g.video_call_minutes END + excluded.video_call_minutes
	WHERE (
		SELECT l.minutes < 0 OR l.minutes > CASE WHEN g.month < p_month THEN 0 WHEN p_type = 'video' THEN g.video_call_minutes
			ELSE g.voice_call_minutes END
		FROM (
			SELECT CASE p_type WHEN 'video' THEN rights.video_call_minutes ELSE rights.voice_call_minutes END AS minutes
			FROM rights_of(p_caller, p_now) rights) l);
	IF NOT FOUND THEN
		RETURN false;
	END IF;
	IF p_type = 'video' AND (SELECT rights.can_call FROM rights_of(p_callee, p_now) rights) IS NOT TRUE THEN
		INSERT INTO monthly_usage AS g (user_id, month, video_call_minutes)
		SELECT id, p_month, 1 FROM users WHERE id = p_callee
		ON CONFLICT (user_id) DO UPDATE SET
			month = greatest(g.month, p_month),
			voice_call_minutes = CASE WHEN g.month < p_month THEN 0 ELSE g.voice_call_minutes END,
			video_call_minutes = CASE WHEN g.month < p_month THEN 0 ELSE g.video_call_minutes END + 1;
	END IF;
	RETURN true;
END $$;

-- Counts the minutes of an answered call that have begun, as long as both ends have been heard of. False: one could not be counted.
CREATE OR REPLACE FUNCTION "count_call_minutes"("p_id" uuid, "p_now" timestamp with time zone, "p_month" timestamp with time zone)
RETURNS boolean
LANGUAGE plpgsql VOLATILE AS $$
DECLARE
	known calls%ROWTYPE;
	begun integer;
BEGIN
	SELECT * INTO known FROM calls WHERE id = p_id AND ended_at IS NULL FOR NO KEY UPDATE;
	IF known.answered_at IS NULL THEN
		RETURN true;
	END IF;
	-- CALL_LIMITS.silenceMs
	begun := greatest(1, ceil(extract(epoch FROM
		least(p_now, known.caller_beat_at + interval '25 seconds', known.callee_beat_at + interval '25 seconds') - known.answered_at) / 60));
	WHILE known.minutes < begun LOOP
		IF NOT take_call_minute(known.caller_id, known.callee_id, known.call_type, p_now, p_month) THEN
			RETURN false;
		END IF;
		known.minutes := known.minutes + 1;
		UPDATE calls SET minutes = known.minutes WHERE id = p_id;
	END LOOP;
	RETURN true;
END $$;

-- Accepts a call in a session, the first one that does. The verdict is the code of a refusal, or
-- accepted: by this session, now,
-- again: by this session before, and this answers a newer attempt or names another epoch,
-- elsewhere: by another session,
-- minutes: the caller's plan has none left, and the call is over,
-- old: of an attempt that a newer one has replaced.
CREATE OR REPLACE FUNCTION "answer_call"(
	"p_session" bytea, "p_user" uuid, "p_id" uuid, "p_caller" uuid, "p_attempt" integer, "p_now" timestamp with time zone,
	"p_month" timestamp with time zone, "p_open_since" timestamp with time zone, "p_rings_since" timestamp with time zone)
RETURNS TABLE ("verdict" text, "rung_by" bytea)
LANGUAGE plpgsql VOLATILE AS $$
#variable_conflict use_column
DECLARE
	known calls%ROWTYPE;
	judged text;
BEGIN
	-- A first row of monthly_usage locks its account, and who deletes an account has it before its calls.
	PERFORM FROM calls k JOIN users u ON u.id IN (k.caller_id, k.callee_id)
		WHERE k.id = p_id AND k.caller_id = p_caller AND k.callee_id = p_user FOR KEY SHARE OF u;
	SELECT * INTO known FROM calls WHERE id = p_id AND caller_id = p_caller AND callee_id = p_user AND is_rung FOR NO KEY UPDATE;
	judged := CASE
		WHEN known.id IS NULL OR known.ended_at IS NOT NULL THEN 'call_over'
		WHEN known.answered_at IS NULL AND known.rang_at <= p_rings_since THEN 'call_over'
		WHEN known.callee_session <> p_session THEN 'elsewhere'
		WHEN known.attempt <> p_attempt THEN 'old'
		WHEN known.answered_at IS NOT NULL THEN 'again'
		ELSE 'accepted'
	END;
	IF judged = 'accepted' THEN
		judged := coalesce((
			SELECT CASE
				WHEN c.is_blocked THEN 'call_over'
				WHEN m.is_protected AND NOT EXISTS (
					SELECT FROM open_chats o WHERE o.chat_room_id = m.chat_room_id AND o.user_id = m.user_id
						AND o.session_hash = p_session AND o.used_at > p_open_since) THEN 'chat_locked'
				ELSE 'accepted'
			END
			FROM contacts c JOIN chat_participants m ON m.chat_room_id = c.chat_room_id AND m.user_id = p_user
			WHERE c.user_id = p_user AND c.contact_user_id = p_caller), 'call_over');
	END IF;
	IF judged = 'accepted' THEN
		UPDATE calls SET callee_session = p_session, answered_at = p_now, caller_beat_at = p_now, callee_beat_at = p_now,
			caller_device = NULL, signal = NULL
		WHERE id = p_id;
		IF NOT count_call_minutes(p_id, p_now, p_month) THEN
			UPDATE calls SET ended_at = p_now WHERE id = p_id;
			judged := 'minutes';
		END IF;
	END IF;
	RETURN QUERY SELECT judged, known.caller_session;
END $$;

-- Ends a call and counts its last minute. False: it is over already, or was answered while only one that rings was to end.
CREATE OR REPLACE FUNCTION "end_call"("p_id" uuid, "p_rings_only" boolean, "p_now" timestamp with time zone, "p_month" timestamp with time zone)
RETURNS boolean
LANGUAGE plpgsql VOLATILE AS $$
BEGIN
	PERFORM FROM calls WHERE id = p_id AND ended_at IS NULL AND NOT (p_rings_only AND answered_at IS NOT NULL) FOR NO KEY UPDATE;
	IF NOT FOUND THEN
		RETURN false;
	END IF;
	PERFORM count_call_minutes(p_id, p_now, p_month);
	UPDATE calls SET ended_at = p_now, caller_device = NULL, signal = NULL WHERE id = p_id;
	RETURN true;
END $$;
