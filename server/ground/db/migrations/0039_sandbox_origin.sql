-- The sandbox of a development server alone. Subscriptions of before do not say where the pages of their invoices are, so none of them could be renewed.
-- Their checkout says it. Invoices of before get their page by it; those of a subscription that has none stay as they are.
UPDATE "sandbox_objects" AS subscription
SET "body" = subscription."body" || jsonb_build_object(
  '_origin', substring(checkout."body"->>'success_url' FROM '^https?://[^/]+'),
  'pending_update', NULL,
  'latest_invoice', coalesce((
    SELECT invoice."id" FROM "sandbox_objects" AS invoice
    WHERE invoice."kind" = 'invoice' AND invoice."body" #>> '{parent,subscription_details,subscription}' = subscription."id"
    ORDER BY invoice."place" DESC LIMIT 1
  ), '')
)
FROM "sandbox_objects" AS checkout
WHERE subscription."kind" = 'subscription' AND NOT subscription."body" ? '_origin'
  AND checkout."kind" = 'checkout.session' AND checkout."body"->>'subscription' = subscription."id" AND checkout."body"->>'success_url' LIKE 'http%';--> statement-breakpoint
UPDATE "sandbox_objects" AS invoice
SET "body" = invoice."body" || jsonb_build_object('hosted_invoice_url', subscription."body"->>'_origin' || '/sandbox/invoice/' || invoice."id")
FROM "sandbox_objects" AS subscription
WHERE invoice."kind" = 'invoice' AND NOT invoice."body" ? 'hosted_invoice_url'
  AND subscription."id" = invoice."body" #>> '{parent,subscription_details,subscription}' AND subscription."body" ? '_origin';
