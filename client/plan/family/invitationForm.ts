import { inviteShape } from '../../../contract/account/family.ts'
import { type FieldErrors, fieldErrors } from '../../ui/form.ts'

const NAMES = ['inviteeEmail', 'inviteeUsername'] as const
type Name = (typeof NAMES)[number]

const MISSING: Record<Name, string> = {
  inviteeEmail: 'Please enter a valid email',
  inviteeUsername: 'Username must be at least 3 characters',
}

/** What is wrong with each field of an invitation; empty if nothing is. The form asks for both, the server for one. */
export function wrongOf(form: Record<Name, string>): { errors: FieldErrors<Name>; isMissing: boolean } {
  const { error } = inviteShape.safeParse(form)
  const missing = NAMES.filter((name) => form[name].trim() === '')
  const errors = { ...(error && fieldErrors(error, NAMES)) }
  for (const name of missing) errors[name] = MISSING[name]
  return { errors, isMissing: missing.length > 0 }
}
