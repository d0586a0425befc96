CREATE TABLE "history_seals" (
	"user_id" uuid NOT NULL,
	"device_id" text NOT NULL,
	"history_key_id" integer NOT NULL,
	"sealed" text NOT NULL,
	CONSTRAINT "history_seals_user_id_device_id_history_key_id_pk" PRIMARY KEY("user_id","device_id","history_key_id")
);
--> statement-breakpoint
CREATE TABLE "retired_names" (
	"name_hash" "bytea" PRIMARY KEY NOT NULL
);
--> statement-breakpoint
ALTER TABLE "chat_rooms" ADD COLUMN "needs_commit" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "chat_rooms" ADD COLUMN "is_closed" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "kit_hash" "bytea";--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "deleted_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "history_seals" ADD CONSTRAINT "history_seals_user_id_device_id_devices_user_id_id_fk" FOREIGN KEY ("user_id","device_id") REFERENCES "public"."devices"("user_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "contacts_room" ON "contacts" USING btree ("chat_room_id");