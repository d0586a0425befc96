import { chatPassword } from '../../../contract/chat/chatlocks.ts'
import { LIMITS } from '../../../contract/ground/limits.ts'
import { PasswordField } from '../../ui/Field.tsx'
import { type usePasswordForm, WrongField } from './usePasswordForm.tsx'

const RULE = `${LIMITS.chatPasswordMin} to ${LIMITS.chatPasswordMax} characters`

/** The two fields of a new chat password. */
export function NewPassword({ field, label }: { field: ReturnType<typeof usePasswordForm>['field']; label: string }) {
  return (
    <>
      <PasswordField label={label} rule={RULE} autoComplete="new-password" {...field('next')} />
      <PasswordField label="Confirm password" autoComplete="new-password" {...field('again')} />
    </>
  )
}

/** Throws WrongField unless the typed text may be a chat password, twice the same. */
export function requireNew({ next, again }: { next: string; again: string }): void {
  const [issue] = chatPassword.safeParse(next).error?.issues ?? []
  if (issue) throw new WrongField('next', issue.message)
  if (next !== again) throw new WrongField('again', "Passwords don't match")
}
