import { History } from 'lucide-react'
import { useState } from 'react'
import { useEnv } from '../../ui/env.tsx'
import { SwitchLine } from '../../ui/SwitchLine.tsx'
import { type Opener, switchHistory } from '../account/keys.ts'
import { WayDialog } from './WayDialog.tsx'

interface Props {
  isKept: boolean
  onChanged: () => void
}

/** Switches the sealed history for new browsers on or off [Note: H1]. The switch moves after the server has stored the change. */
export function HistorySwitch({ isKept, onChanged }: Props) {
  const env = useEnv()
  const [isAsking, setAsking] = useState(false)

  async function change(opener: Opener) {
    await switchHistory(env, opener, !isKept)
    setAsking(false)
    onChanged()
  }

  return (
    <div className="stack tight">
      <ul className="lines">
        <SwitchLine
          icon={History}
          name="Keep encrypted history for my other browsers"
          words={isKept ? WORDS.on : WORDS.off}
          isOn={isKept}
          isAsked
          onSwitch={() => setAsking(true)}
        />
      </ul>
      {isAsking && <WayDialog {...(isKept ? OFF : ON)} onOpen={change} onClose={() => setAsking(false)} />}
    </div>
  )
}

const WORDS = {
  on: 'A new browser shows what you wrote and received while this was on. Whoever gets your password, kit or passkey can open it too.',
  off: 'A new browser starts empty: nothing is kept for it. The other side’s own history is theirs.',
}

const ON = {
  title: 'Keep history for new browsers?',
  text: 'From now on your messages are kept on the server, sealed, and a new browser shows them. Whoever gets your password, kit or passkey can open them too. What was deleted before does not come back.',
  action: 'Switch on',
  pendingAction: 'Switching on...',
}

const OFF = {
  title: 'Stop keeping history?',
  text: 'What the server stores for your other browsers is deleted now, and nothing more is kept. Your browsers keep what they have. A new browser starts empty, and you have no history if you lose them all.',
  action: 'Switch off and delete',
  pendingAction: 'Deleting...',
  isDangerous: true,
}
