-- Administrators begin to leave a trail: what was done before has no row. No session of before has confirmed. The sums of days begin today.
CREATE TABLE "audit_log" (
	"seq" bigint PRIMARY KEY NOT NULL,
	"actor_id" uuid,
	"act" text NOT NULL,
	"subject_id" uuid,
	"target" text,
	"before" text NOT NULL,
	"after" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"hash" "bytea" NOT NULL
);
--> statement-breakpoint
CREATE TABLE "daily_figures" (
	"day" date PRIMARY KEY NOT NULL,
	"sign_ups" integer NOT NULL,
	"active" integer NOT NULL,
	"messages" bigint NOT NULL
);
--> statement-breakpoint
ALTER TABLE "sessions" ADD COLUMN "confirmed_at" timestamp (3) with time zone;--> statement-breakpoint
CREATE INDEX "audit_log_actor" ON "audit_log" USING btree ("actor_id","seq");--> statement-breakpoint
CREATE INDEX "audit_log_subject" ON "audit_log" USING btree ("subject_id","seq");--> statement-breakpoint
CREATE INDEX "audit_log_act" ON "audit_log" USING btree ("act","seq");--> statement-breakpoint
CREATE INDEX "users_joined" ON "users" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "messages_day" ON "messages" USING brin ("created_at");