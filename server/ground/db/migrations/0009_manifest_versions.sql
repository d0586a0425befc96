CREATE TABLE "manifest_versions" (
	"user_id" uuid NOT NULL,
	"version" integer NOT NULL,
	"content" text NOT NULL,
	"signature" text NOT NULL,
	CONSTRAINT "manifest_versions_user_id_version_pk" PRIMARY KEY("user_id","version")
);
--> statement-breakpoint
ALTER TABLE "manifest_versions" ADD CONSTRAINT "manifest_versions_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;