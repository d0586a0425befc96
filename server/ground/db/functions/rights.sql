-- The plan that an account has by itself at that time, by its name in plan_rights. A plan with an end date counts until that instant;
-- a status other than active needs an end date to count at all.
CREATE OR REPLACE FUNCTION "plan_of"("u" "users", "at" timestamp with time zone) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE AS $$
	SELECT CASE
		WHEN u.subscription_end_date <= at THEN 'free'
		WHEN u.subscription_end_date IS NULL AND u.subscription_status <> 'active' THEN 'free'
		ELSE coalesce('package:' || u.subscription_package_id, u.subscription_tier)
	END
$$;

-- What an account may do at that time: the row of its plan, or none where its plan is unknown. A package counts by its own row. Who is
-- in a family circle has premium's rights while the plan of its owner includes one, where their own plan allows less.
CREATE OR REPLACE FUNCTION "rights_of"("account" uuid, "at" timestamp with time zone) RETURNS SETOF "plan_rights"
LANGUAGE sql STABLE PARALLEL SAFE AS $$
	SELECT r.* FROM users u JOIN plan_rights r ON r.plan = CASE
		WHEN u.master_account_id IS NOT NULL
			AND EXISTS (SELECT FROM users m JOIN plan_rights f ON f.plan = plan_of(m, at) WHERE m.id = u.master_account_id AND f.has_family)
			AND NOT EXISTS (SELECT FROM plan_rights o WHERE o.plan = plan_of(u, at) AND (o.has_family OR o.tier = 'enterprise'))
			THEN 'premium'
		ELSE plan_of(u, at)
	END
	WHERE u.id = account
$$;

-- The plans that a living account has by itself, without its family circle: the one that counts, and what changes at its end date.
CREATE OR REPLACE FUNCTION "plans_of"("u" "users") RETURNS TABLE ("plan" text, "at" timestamp with time zone, "people" bigint)
LANGUAGE sql STABLE AS $$
	SELECT s.* FROM (
		SELECT plan_of(u, '-infinity'), '-infinity'::timestamptz AS at, 1
		UNION ALL SELECT plan_of(u, '-infinity'), u.subscription_end_date, -1
		UNION ALL SELECT plan_of(u, u.subscription_end_date), u.subscription_end_date, 1) s
	WHERE u.id IS NOT NULL AND u.deleted_at IS NULL AND s.at IS NOT NULL
	-- PostgreSQL 18 does not find the row of u in a plan for several accounts into which this is merged.
	OFFSET 0
$$;

CREATE OR REPLACE FUNCTION "note_plan_counts"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO plan_counts (plan, at, people)
	SELECT s.plan, s.at, sum(s.people)
	FROM (SELECT * FROM plans_of(NEW) UNION ALL SELECT o.plan, o.at, -o.people FROM plans_of(OLD) o) s
	GROUP BY s.plan, s.at HAVING sum(s.people) <> 0;
	RETURN NULL;
END $$;

-- A message changes none of these columns.
CREATE OR REPLACE TRIGGER "users_plan_counts" AFTER INSERT OR DELETE OR UPDATE OF "subscription_tier", "subscription_status",
	"subscription_end_date", "subscription_package_id", "deleted_at" ON "users" FOR EACH ROW EXECUTE FUNCTION note_plan_counts();
