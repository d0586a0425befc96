import { inviteShape } from '../../../contract/account/family.ts'
import { type FieldErrors, fieldErrors } from '../../ui/form.ts'

const NAMES = ['inviteeEmail', 'inviteeUsername'] as const
type Name = (typeof NAMES)[number]

const MISSING: Record<Name, string> = {
  inviteeEmail: 'Please enter a valid email',
  inviteeUsername: 'Username must be at least 3 characters',
}

/** What is wrong with each field of an invitation; empty if nothing is. The form asks for both, the server for one. */
export function wrongOf(form: Record<Name, string>): FieldErrors<Name> {
  const { error } = inviteShape.safeParse(form)
  const errors = { ...(error && fieldErrors(error, NAMES)) }
  for (const name of NAMES) if (form[name].trim() === '') errors[name] = MISSING[name]
  return errors
}
