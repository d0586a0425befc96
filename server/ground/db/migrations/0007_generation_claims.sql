-- Which device may create which generation. A claim of before is made again by its browser, which claims before every creation.
CREATE TABLE "generation_claims" (
	"chat_room_id" text NOT NULL,
	"user_id" uuid NOT NULL,
	"device_id" text NOT NULL,
	"generation" integer NOT NULL,
	CONSTRAINT "generation_claims_chat_room_id_user_id_device_id_pk" PRIMARY KEY("chat_room_id","user_id","device_id")
);
--> statement-breakpoint
ALTER TABLE "generation_claims" ADD CONSTRAINT "generation_claims_chat_room_id_chat_rooms_id_fk" FOREIGN KEY ("chat_room_id") REFERENCES "public"."chat_rooms"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "generation_claims" ADD CONSTRAINT "generation_claims_user_id_device_id_devices_user_id_id_fk" FOREIGN KEY ("user_id","device_id") REFERENCES "public"."devices"("user_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "generation_claims_device" ON "generation_claims" USING btree ("user_id","device_id");