-- No invitation was mailed so far: both are null, and the screen says so.
ALTER TABLE "master_invitations" ADD COLUMN "mail_tried_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "master_invitations" ADD COLUMN "mailed_at" timestamp (3) with time zone;