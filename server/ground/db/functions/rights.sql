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
