-- A book of before stays as the unsigned one of its account: its browsers read it until one of them has written a signed one.
ALTER TABLE "books" ADD COLUMN "device_id" text DEFAULT 'unsigned' NOT NULL;--> statement-breakpoint
ALTER TABLE "books" ADD COLUMN "signature" text;--> statement-breakpoint
ALTER TABLE "books" DROP CONSTRAINT "books_pkey";--> statement-breakpoint
ALTER TABLE "books" ADD CONSTRAINT "books_user_id_device_id_pk" PRIMARY KEY("user_id","device_id");
