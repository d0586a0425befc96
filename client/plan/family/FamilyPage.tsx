import { ChevronLeft } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { FAMILY, familyApi, type Invitation, type Member } from '../../../contract/account/family.ts'
import { Counters } from '../../ui/Counters.tsx'
import { useEnv } from '../../ui/env.tsx'
import { failureWords } from '../../ui/failure.ts'
import { IconButton } from '../../ui/IconButton.tsx'
import { NotRead } from '../../ui/NotRead.tsx'
import { joinsWords } from './familyWords.ts'
import { History } from './History.tsx'
import { InviteForm } from './InviteForm.tsx'
import { LinkDialog } from './LinkDialog.tsx'
import { Members } from './Members.tsx'
import './family.css'

interface Loaded {
  members: Member[]
  invitations: Invitation[]
  sendsMail: boolean
}

/** The family circle of the signed-in account: its members, and the invitations to it. */
export function FamilyPage({ onBack }: { onBack: () => void }) {
  const env = useEnv()
  const title = useRef<HTMLHeadingElement>(null)
  /** Counts the questions: of several answers under way the newest question's counts. */
  const newest = useRef(0)
  const [loaded, setLoaded] = useState<Loaded>()
  const [failure, setFailure] = useState<string | null>(null)
  const [shown, setShown] = useState<Invitation>()

  async function load() {
    newest.current += 1
    const asked = newest.current
    try {
      const [members, invitations, { sendsMail }] = await Promise.all([
        env.api(familyApi.members, {}),
        env.api(familyApi.invitations, {}),
        env.api(familyApi.own, {}),
      ])
      if (asked !== newest.current) return
      setLoaded({ members, invitations, sendsMail })
      setFailure(null)
    } catch (error) {
      if (asked === newest.current) setFailure(failureWords(error))
    }
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: loaded once, and when somebody joins or leaves
  useEffect(() => {
    title.current?.focus()
    void load()
    return env.socket.on('account', () => void load())
  }, [env])

  function show(invitation: Invitation) {
    setShown(invitation)
    void load()
  }

  return (
    <div className="settings">
      <main className="page family">
        <header>
          <IconButton icon={ChevronLeft} label="Back to chat" onClick={onBack} />
          <h1 ref={title} tabIndex={-1}>
            MASTER PLAN
          </h1>
        </header>
        {!loaded && <NotRead words="The family circle could not be loaded." failure={failure} onRetry={() => void load()} />}
        {loaded && failure && (
          <NotRead words="The family circle may be out of date." failure={failure} onRetry={() => void load()} />
        )}
        {loaded && <Circle {...loaded} onShow={show} onChange={load} />}
      </main>
      {shown?.invitationToken && (
        <LinkDialog
          invitation={shown}
          sendsMail={loaded?.sendsMail === true}
          onMailed={show}
          onClose={() => setShown(undefined)}
        />
      )}
    </div>
  )
}

interface CircleProps extends Loaded {
  onShow: (invitation: Invitation) => void
  onChange: () => Promise<void>
}

function Circle({ members, invitations, sendsMail, onShow, onChange }: CircleProps) {
  const { clock } = useEnv()
  const pending = invitations.filter(({ status }) => status === 'pending').length
  const slots = Math.max(0, FAMILY.membersMax - members.length - pending)
  return (
    <>
      <Counters
        counters={[
          { name: 'Family Members', value: `${members.length}/${FAMILY.membersMax}` },
          { name: 'Pending Invites', value: String(pending) },
          { name: 'Available Slots', value: String(slots) },
        ]}
      />
      <InviteForm
        members={members.length}
        slots={slots}
        sendsMail={sendsMail}
        spent={joinsWords(invitations, clock())}
        onInvited={onShow}
      />
      <Members members={members} onChange={onChange} />
      <History invitations={invitations} onLink={onShow} onChange={onChange} />
    </>
  )
}
