import { type FormEvent, useState } from 'react'
import { FAMILY, familyApi, type Invitation, inviteShape } from '../../contract/family.ts'
import { LIMITS } from '../../contract/limits.ts'
import { useEnv } from '../ui/env.tsx'
import { Field } from '../ui/Field.tsx'
import { type FieldErrors, fieldErrors } from '../ui/form.ts'
import { showToast } from '../ui/toast.ts'
import { useAct } from './useAct.tsx'

const NAMES = ['inviteeEmail', 'inviteeUsername'] as const

interface Props {
  members: number
  slots: number
  sendsMail: boolean
  onInvited: (invitation: Invitation) => void
}

export function InviteForm({ members, slots, sendsMail, onInvited }: Props) {
  const env = useEnv()
  const [form, setForm] = useState({ inviteeEmail: '', inviteeUsername: '' })
  const [errors, setErrors] = useState<FieldErrors<(typeof NAMES)[number]>>({})
  const { act, isPending } = useAct()
  const isFull = members >= FAMILY.membersMax
  const why = isFull
    ? 'Maximum family members reached (5/5)'
    : slots === 0
      ? 'All places are taken by members and pending invitations'
      : undefined
  const change = (name: (typeof NAMES)[number]) => (value: string) => {
    setForm((before) => ({ ...before, [name]: value }))
    setErrors((before) => ({ ...before, [name]: undefined }))
  }

  async function submit(event: FormEvent) {
    event.preventDefault()
    if (isPending || why) return
    if (!form.inviteeEmail.trim() || !form.inviteeUsername.trim())
      return showToast({
        tone: 'bad',
        title: 'Missing Information',
        text: 'Please provide both email and username for the invitation.',
      })
    const checked = inviteShape.safeParse(form)
    if (!checked.success) {
      const found = fieldErrors(checked.error, NAMES)
      return setErrors({ ...found, ...(found.inviteeEmail && { inviteeEmail: 'Please enter a valid email' }) })
    }
    const invitation = await act({
      run: () => env.api(familyApi.invite, form),
      done: ({ mail }) => ({
        title: mail === 'sent' ? 'Invitation Sent' : 'Invitation Created',
        text: 'Family circle invitation has been created successfully.',
      }),
      failed: 'Invitation Failed',
    })
    if (!invitation) return
    setForm({ inviteeEmail: '', inviteeUsername: '' })
    onInvited(invitation)
  }

  return (
    <section>
      <h2>Invite Family Member</h2>
      <p className="small t2">
        Each invitation is a link for one person, good for seven days.{' '}
        {sendsMail
          ? 'It is mailed to the address, and you can pass it on yourself as well.'
          : 'This server sends no mail: pass the link on yourself.'}
      </p>
      <form className="invite" onSubmit={submit} noValidate>
        <Field
          label="Email Address"
          type="email"
          autoComplete="off"
          maxLength={LIMITS.emailMax}
          value={form.inviteeEmail}
          error={errors.inviteeEmail}
          onValue={change('inviteeEmail')}
        />
        <Field
          label="Preferred Username"
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          maxLength={LIMITS.usernameMax}
          value={form.inviteeUsername}
          error={errors.inviteeUsername}
          onValue={change('inviteeUsername')}
        />
        <button type="submit" className="btn primary" disabled={isPending || why !== undefined}>
          {isPending ? 'Sending Invitation...' : 'Send Invitation'}
        </button>
      </form>
      {why && <p role="status">{why}</p>}
    </section>
  )
}
