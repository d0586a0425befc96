-- Nobody is in a family circle yet; whose plan has one may invite from now on. A plan of one's own is what it was.
CREATE TABLE "master_invitations" (
	"id" uuid PRIMARY KEY NOT NULL,
	"master_user_id" uuid NOT NULL,
	"invitee_email" text,
	"invitee_username" text,
	"invitation_token" text NOT NULL,
	"status" text NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"accepted_at" timestamp (3) with time zone,
	CONSTRAINT "master_invitations_invitation_token_unique" UNIQUE("invitation_token")
);
--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "master_account_id" uuid;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "is_master_invitee" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "invited_by_master" uuid;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "invitee_joined_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "shows_family_online" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "master_invitations" ADD CONSTRAINT "master_invitations_master_user_id_users_id_fk" FOREIGN KEY ("master_user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "master_invitations_master" ON "master_invitations" USING btree ("master_user_id","created_at");--> statement-breakpoint
CREATE INDEX "users_master" ON "users" USING btree ("master_account_id");
--> statement-breakpoint
-- The plan that an account has by itself at that time, by its name in plan_rights.
CREATE FUNCTION "plan_of"("u" "users", "at" timestamp with time zone) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE AS $$
	SELECT CASE
		WHEN u.subscription_end_date <= at THEN 'free'
		WHEN u.subscription_end_date IS NULL AND u.subscription_status <> 'active' THEN 'free'
		ELSE coalesce('package:' || u.subscription_package_id, u.subscription_tier)
	END
$$;
--> statement-breakpoint
-- As before; who is in a family circle has premium's rights while the plan of its owner includes one, where their own plan allows less.
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
