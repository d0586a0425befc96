-- No row of before is a transfer, and none is changed.
CREATE TABLE "transfers" (
	"id" uuid PRIMARY KEY NOT NULL,
	"sender_id" uuid NOT NULL,
	"receiver_id" uuid NOT NULL,
	"sender_device" text,
	"receiver_device" text,
	"attempt" integer DEFAULT 0 NOT NULL,
	"bytes" integer NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"relayed_at" timestamp (3) with time zone,
	"ended_at" timestamp (3) with time zone,
	"end_reason" text
);
--> statement-breakpoint
ALTER TABLE "transfers" ADD CONSTRAINT "transfers_sender_id_users_id_fk" FOREIGN KEY ("sender_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "transfers" ADD CONSTRAINT "transfers_receiver_id_users_id_fk" FOREIGN KEY ("receiver_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "transfers_sender" ON "transfers" USING btree ("sender_id","created_at");--> statement-breakpoint
CREATE INDEX "transfers_receiver" ON "transfers" USING btree ("receiver_id","created_at");--> statement-breakpoint
CREATE INDEX "transfers_live" ON "transfers" USING btree ("created_at") WHERE "transfers"."ended_at" is null;--> statement-breakpoint
CREATE INDEX "transfers_unended" ON "transfers" USING btree ("sender_id") WHERE "transfers"."ended_at" is null;--> statement-breakpoint
CREATE INDEX "transfers_left" ON "transfers" USING btree ("id") WHERE "transfers"."ended_at" is null and "transfers"."sender_device" is null;--> statement-breakpoint
CREATE INDEX "transfers_over" ON "transfers" USING btree ("ended_at");--> statement-breakpoint
CREATE INDEX "transfers_sender_relayed" ON "transfers" USING btree ("sender_id","relayed_at") WHERE "transfers"."relayed_at" is not null;--> statement-breakpoint
CREATE INDEX "transfers_receiver_relayed" ON "transfers" USING btree ("receiver_id","relayed_at") WHERE "transfers"."relayed_at" is not null;