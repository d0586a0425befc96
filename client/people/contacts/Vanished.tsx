import { UserRoundX } from 'lucide-react'
import { useRef } from 'react'
import { useStore } from 'zustand'
import { useEnv } from '../../ui/env.tsx'
import { failureWords } from '../../ui/failure.ts'
import '../../ui/news.css'
import { showToast } from '../../ui/toast.ts'
import { knowVanished, vanishedStore } from './vanished.ts'

/** Tells of contacts that the server no longer lists, each until the person has answered [Note: I3]. */
export function Vanished() {
  const env = useEnv()
  const place = useRef<HTMLDivElement>(null)
  const vanished = useStore(vanishedStore, (state) => state.vanished)

  async function know(userId: string) {
    try {
      await knowVanished(env, userId)
      place.current?.focus()
    } catch (error) {
      showToast({ tone: 'bad', title: 'Your answer was not kept', text: failureWords(error) })
    }
  }

  return (
    <div ref={place} className="news" role="status" aria-label="Contacts that are gone" tabIndex={-1}>
      {vanished.map(({ userId, username }) => (
        <div className="note warn" key={userId}>
          <UserRoundX className="i i-16" aria-hidden />
          <div>
            <p>
              <strong>@{username}</strong> is no longer in your list. You did not remove this contact: the server does not show
              it. If somebody else writes to you in that name, compare the safety number first.
            </p>
            <div className="acts">
              <button
                type="button"
                className="btn compact outline"
                aria-label={`I know that @${username} is gone`}
                onClick={() => know(userId)}
              >
                I know
              </button>
            </div>
          </div>
        </div>
      ))}
    </div>
  )
}
