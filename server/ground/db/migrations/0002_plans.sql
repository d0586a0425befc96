CREATE TABLE "plan_rights" (
	"plan" text PRIMARY KEY NOT NULL,
	"version" integer NOT NULL,
	"can_send" boolean NOT NULL,
	"can_call" boolean NOT NULL,
	"can_share_files" boolean NOT NULL,
	"has_family" boolean NOT NULL,
	"messages_per_month" integer NOT NULL,
	"file_bytes" bigint NOT NULL
);
--> statement-breakpoint
-- What an account may do at that time: the row of its plan, or none where its plan is unknown. A plan with an end date counts
-- until that instant; a status other than active needs an end date to count at all.
CREATE FUNCTION "rights_of"("account" uuid, "at" timestamp with time zone) RETURNS SETOF "plan_rights"
LANGUAGE sql STABLE PARALLEL SAFE AS $$
	SELECT r.* FROM users u JOIN plan_rights r ON r.plan = CASE
		WHEN u.subscription_end_date <= at THEN 'free'
		WHEN u.subscription_end_date IS NULL AND u.subscription_status <> 'active' THEN 'free'
		ELSE u.subscription_tier
	END
	WHERE u.id = account
$$;
