/** Apart from `REFUSALS`, so that no page loads all texts. */
export const REFUSAL_TEXTS = {
  invalid_onion_address: 'This is not a valid onion address',
  account_deleted: 'This account was deleted',
  subscription_required: 'Subscription required',
  unknown_invitation: 'This invitation does not exist. Look whether the link is whole, or ask for a new one',
  file_not_found: 'File not found',
  already_opened: 'This was opened already, or is no longer there',
} as const
