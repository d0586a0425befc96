import { CircleAlert, UsersRound } from 'lucide-react'
import { useEffect, useState } from 'react'
import { familyApi } from '../../../contract/account/family.ts'
import { useEnv } from '../../ui/env.tsx'
import { failureWords } from '../../ui/failure.ts'
import { Note } from '../../ui/Note.tsx'

/** Above the forms for signing up and in: who invites by the link at which this page was opened, or why the link opens nothing. */
export function InvitedBy({ onUsername }: { onUsername: (username: string) => void }) {
  const env = useEnv()
  const [inviter, setInviter] = useState<string>()
  const [failure, setFailure] = useState<string>()
  useEffect(() => {
    const [, , token = ''] = location.pathname.split('/')
    env.api(familyApi.show, { token }).then(
      ({ inviterName, inviteeUsername }) => {
        setInviter(inviterName)
        if (inviteeUsername) onUsername(inviteeUsername)
      },
      (error) => setFailure(failureWords(error)),
    )
  }, [env, onUsername])
  if (failure !== undefined)
    return (
      <Note icon={CircleAlert} role="status">
        {failure}. You can sign up without one.
      </Note>
    )
  return (
    <Note icon={UsersRound} tone="acc" role="status">
      {inviter === undefined ? (
        'Loading the invitation...'
      ) : (
        <>
          <strong dir="auto">{inviter}</strong> invites you to their family circle. Create an account, or sign in, and join.
        </>
      )}
    </Note>
  )
}
