import {
  Eye,
  GitCommitHorizontal,
  History,
  KeyRound,
  LifeBuoy,
  type LucideIcon,
  PencilLine,
  Route,
  Shield,
  TimerReset,
} from 'lucide-react'
import { Unbroken } from '../ui/Unbroken.tsx'
import { Acts } from './Acts.tsx'
import { claim } from './claims.ts'
import { FREE_LINE, READING_IS_FREE } from './offers.ts'
import { Product } from './Product.tsx'
import { FinalCall, Site } from './Site.tsx'

const CARDS: [string, LucideIcon][] = [
  ['military-grade', Shield],
  ['onion-integration', Route],
  ['zero-interception', GitCommitHorizontal],
  ['forward-secrecy', History],
  ['ephemeral-keys', TimerReset],
  ['elite-support', LifeBuoy],
]
const STATS = ['bits-256', 'zero-central-servers', 'anonymous']

/** The first thing that a stranger sees. It is rendered by the build; client/site/landing.ts brings its middle to life. */
export function Landing() {
  return (
    <Site>
      <div className="wrap hero">
        <div>
          <h1>
            <span>The room is closed.</span> <span>You hold the key.</span>
          </h1>
          <p className="lead">
            Conclave is a private messenger for people whose words carry weight. Messages are sealed on your device. The server
            carries them; it cannot read them.
          </p>
          <div className="go">
            <a className="btn primary large" href="/auth">
              Start Secure Communications
            </a>
            <a className="btn outline large" href="/security">
              View Security Details
            </a>
          </div>
          <p className="price" id="price">
            {READING_IS_FREE}
          </p>
        </div>
        <dl className="entry">
          <dt>
            conclave <i>n.</i>
          </dt>
          <dd>
            From Latin <em>con clave</em>, “with a key”. A room that can be locked, and those who are inside it.
          </dd>
        </dl>
      </div>
      <Product />
      <Acts />
      <Passage />
      <div className="wrap">
        <section className="block" id="features">
          <h2 className="sect">Made for conversations that have consequences.</h2>
          <div className="grid">
            {CARDS.map(([id, Icon]) => (
              <Card key={id} id={id} Icon={Icon} />
            ))}
          </div>
        </section>
        <section id="prices" aria-labelledby="prices-title" hidden>
          <h2 className="sect" id="prices-title">
            Reading is free.
          </h2>
          <div className="prices">
            <article>
              <h3>Free</h3>
              <b>$0</b>
              <p>{FREE_LINE}</p>
            </article>
          </div>
        </section>
        <dl className="stats">
          {STATS.map(claim).map(({ id, text, caption, story }) => (
            <div key={id}>
              <dt>{text}</dt>
              <dd>
                <b>{caption}</b> <Unbroken text={story} />
              </dd>
            </div>
          ))}
        </dl>
      </div>
      <FinalCall
        title="Close the door behind you."
        text={`A username and a password are enough. ${READING_IS_FREE}`}
        href="/auth"
      />
    </Site>
  )
}

function Card({ id, Icon }: { id: string; Icon: LucideIcon }) {
  const { text, story, caption } = claim(id)
  return (
    <article>
      <Icon className="i i-24" aria-hidden />
      <h3>{text}</h3>
      <p>
        <Unbroken text={story} />
      </p>
      <p className="cap">
        <Unbroken text={caption} />
      </p>
    </article>
  )
}

const SAMPLE = 'Sign before six. I will countersign from Geneva.'
/** Groups of four characters, of which the page fills in the first ones of what it seals. */
const GROUPS = Array.from({ length: 12 }, (_, at) => at)

/** From one device to the other: what is typed, what the server carries, what is read. */
function Passage() {
  return (
    <section className="passage" id="passage" aria-labelledby="passage-title">
      <h2 className="sr" id="passage-title">
        How it works
      </h2>
      <div className="wrap">
        <section>
          <h3>
            <PencilLine className="i i-16" aria-hidden />
            You write
          </h3>
          <p className="letter mine" id="written">
            {SAMPLE}
          </p>
          <p className="under">On your device, before anything is sent. Write something of your own.</p>
        </section>
        <section>
          <h3>
            <KeyRound className="i i-16" aria-hidden />
            The network carries
          </h3>
          <p className="cipher" id="carried" aria-hidden>
            {GROUPS.map((group) => (
              <span key={group}>····</span>
            ))}
          </p>
          <p className="under" id="carried-foot">
            All of it that the server, and anyone between, can see.
          </p>
        </section>
        <section>
          <h3>
            <Eye className="i i-16" aria-hidden />
            They read
          </h3>
          <p className="letter" id="read">
            {SAMPLE}
          </p>
          <p className="under">On their device, and nowhere else.</p>
        </section>
      </div>
      <div className="wrap again">
        <p id="passage-said" role="status">
          This page seals the text itself, with the code that seals every message.
        </p>
        <button type="button" className="btn outline compact" id="again" hidden>
          Seal it again
        </button>
      </div>
    </section>
  )
}
