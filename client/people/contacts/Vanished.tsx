import { UserRoundX } from 'lucide-react'
import { useStore } from 'zustand'
import { useEnv } from '../../ui/env.tsx'
import { failureWords } from '../../ui/failure.ts'
import { Notice } from '../../ui/Notice.tsx'
import { showToast } from '../../ui/toast.ts'
import { knowVanished, vanishedStore } from './vanished.ts'

export const vanishedTitle = (username: string): string => `@${username} is no longer in your list`

/** Tells of contacts that the server no longer lists, each until the person has answered [Note: I3]. */
export function Vanished({ focusNext }: { focusNext: () => void }) {
  const env = useEnv()
  const vanished = useStore(vanishedStore, (state) => state.vanished)

  async function know(userId: string) {
    try {
      await knowVanished(env, userId)
      focusNext()
    } catch (error) {
      showToast({ tone: 'bad', title: 'Your answer was not kept', text: failureWords(error) })
    }
  }

  return vanished.map(({ userId, username }) => (
    <Notice
      key={userId}
      icon={UserRoundX}
      tone="warn"
      title={vanishedTitle(username)}
      text="You did not remove this contact: the server does not show it. If somebody else writes to you in that name, compare the safety number first."
    >
      <button
        type="button"
        className="btn compact outline"
        aria-label={`I know that @${username} is gone`}
        onClick={() => know(userId)}
      >
        I know
      </button>
    </Notice>
  ))
}
