import { type FormEvent, useState } from 'react'
import { FAMILY, familyApi, type Invitation } from '../../../contract/account/family.ts'
import { LIMITS } from '../../../contract/ground/limits.ts'
import { useEnv } from '../../ui/env.tsx'
import { Field } from '../../ui/Field.tsx'
import { useAct } from '../../ui/useAct.tsx'
import { sendWords } from './familyWords.ts'
import { wrongOf } from './invitationForm.ts'

interface Props {
  members: number
  slots: number
  sendsMail: boolean
  /** Said where too many have joined lately. */
  spent?: string | undefined
  onInvited: (invitation: Invitation) => void
}

export function InviteForm({ members, slots, sendsMail, spent, onInvited }: Props) {
  const env = useEnv()
  const [form, setForm] = useState({ inviteeEmail: '', inviteeUsername: '' })
  const [errors, setErrors] = useState<ReturnType<typeof wrongOf>>({})
  const { act, isPending } = useAct()
  const isFull = members >= FAMILY.membersMax
  const why = isFull
    ? 'Maximum family members reached (5/5)'
    : slots === 0
      ? 'All places are taken by members and pending invitations'
      : spent
  const change = (name: keyof typeof form) => (value: string) => {
    setForm((before) => ({ ...before, [name]: value }))
    setErrors((before) => ({ ...before, [name]: undefined }))
  }

  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    if (isPending || why) return
    const wrong = wrongOf(form)
    setErrors(wrong)
    const [first] = Object.keys(wrong)
    if (first !== undefined) {
      const input = event.currentTarget.elements.namedItem(first)
      return input instanceof HTMLElement ? input.focus() : undefined
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
        Each invitation is a link for one person, good for seven days. Ten people can join within 30 days.{' '}
        {sendsMail
          ? 'It is mailed to the address, and you can pass it on yourself as well.'
          : 'This server sends no mail: pass the link on yourself.'}
      </p>
      <form className="invite" onSubmit={submit} noValidate>
        <Field
          label="Email Address"
          name="inviteeEmail"
          type="email"
          autoComplete="off"
          maxLength={LIMITS.emailMax}
          value={form.inviteeEmail}
          error={errors.inviteeEmail}
          onValue={change('inviteeEmail')}
        />
        <Field
          label="Preferred Username"
          name="inviteeUsername"
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          maxLength={LIMITS.usernameMax}
          value={form.inviteeUsername}
          error={errors.inviteeUsername}
          onValue={change('inviteeUsername')}
        />
        <button type="submit" className="btn primary" disabled={isPending || why !== undefined}>
          {sendWords(sendsMail, isPending)}
        </button>
      </form>
      {why && <p role="status">{why}</p>}
    </section>
  )
}
