-- No row of before is a call. Accounts of before let calls ring closed browsers and have sent nothing silent. The plans of packages get their
-- minutes when the server has started.
CREATE TABLE "calls" (
	"id" uuid PRIMARY KEY NOT NULL,
	"caller_id" uuid NOT NULL,
	"callee_id" uuid NOT NULL,
	"call_type" text NOT NULL,
	"attempt" integer NOT NULL,
	"caller_session" "bytea" NOT NULL,
	"callee_session" "bytea",
	"caller_device" text,
	"signal" text,
	"is_rung" boolean NOT NULL,
	"rang_at" timestamp (3) with time zone NOT NULL,
	"answered_at" timestamp (3) with time zone,
	"ended_at" timestamp (3) with time zone,
	"caller_beat_at" timestamp (3) with time zone,
	"callee_beat_at" timestamp (3) with time zone,
	"minutes" integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "monthly_silent_count" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "rings_closed" boolean DEFAULT true NOT NULL;--> statement-breakpoint
ALTER TABLE "plan_rights" ADD COLUMN "voice_call_minutes" integer DEFAULT -1 NOT NULL;--> statement-breakpoint
ALTER TABLE "plan_rights" ADD COLUMN "video_call_minutes" integer DEFAULT -1 NOT NULL;--> statement-breakpoint
ALTER TABLE "calls" ADD CONSTRAINT "calls_caller_id_users_id_fk" FOREIGN KEY ("caller_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "calls" ADD CONSTRAINT "calls_callee_id_users_id_fk" FOREIGN KEY ("callee_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "calls_caller" ON "calls" USING btree ("caller_id");--> statement-breakpoint
CREATE INDEX "calls_callee" ON "calls" USING btree ("callee_id");--> statement-breakpoint
CREATE INDEX "calls_live" ON "calls" USING btree ("rang_at") WHERE "calls"."ended_at" is null;--> statement-breakpoint
CREATE INDEX "calls_over" ON "calls" USING btree ("ended_at");