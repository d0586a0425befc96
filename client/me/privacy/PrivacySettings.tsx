import { CheckCheck, CircleDot, Clock, type LucideIcon, MessageCircleMore } from 'lucide-react'
import { useState } from 'react'
import type { Privacy } from '../../../contract/people/privacy.ts'
import { useEnv } from '../../ui/env.tsx'
import { failureWords } from '../../ui/failure.ts'
import { More } from '../../ui/More.tsx'
import { SwitchLine } from '../../ui/SwitchLine.tsx'
import { showToast } from '../../ui/toast.ts'
import { savePrivacy } from './privacy.ts'
import { usePrivacy } from './usePrivacy.tsx'

const SWITCHES: { what: keyof Privacy; Icon: LucideIcon; name: string; words: string }[] = [
  {
    what: 'presence',
    Icon: CircleDot,
    name: 'Show when I am online',
    words: 'Contacts see a dot while one of your browsers is open.',
  },
  { what: 'lastSeen', Icon: Clock, name: 'Show when I was last seen', words: 'When it is off they read “Last seen never”.' },
  { what: 'typing', Icon: MessageCircleMore, name: 'Show when I am typing', words: 'While you write to them, and never what.' },
  {
    what: 'receipts',
    Icon: CheckCheck,
    name: 'Send read receipts',
    words:
      'When they are off your contacts see “Delivered” at most, and not whether you listened to a voice message. Your own browsers still know what you have read.',
  },
]

/** What contacts are shown. A switch moves after the server has stored the change. */
export function PrivacySettings() {
  const env = useEnv()
  const privacy = usePrivacy()
  const [pending, setPending] = useState<keyof Privacy>()

  async function change(what: keyof Privacy) {
    if (pending) return
    setPending(what)
    try {
      await savePrivacy(env, { [what]: !privacy[what] })
    } catch (error) {
      showToast({ tone: 'bad', title: 'Nothing was changed', text: failureWords(error) })
    } finally {
      setPending(undefined)
    }
  }

  return (
    <div className="stack tight">
      <ul className="lines">
        {SWITCHES.map(({ what, Icon, name, words }) => (
          <SwitchLine
            key={what}
            icon={Icon}
            name={name}
            words={words}
            isOn={privacy[what]}
            isBusy={pending === what}
            onSwitch={() => void change(what)}
          />
        ))}
      </ul>
      <More title="What shows all the same">
        <p>
          That a message was delivered, which tells that one of your browsers was open then. What was hidden meanwhile, such as
          what you have read, shows when you switch it on again.
        </p>
        <p>
          Strangers, requests that you have not accepted and people whom you have blocked see none of the four. The server does.
        </p>
      </More>
    </div>
  )
}
