import { ArrowRight } from 'lucide-react'
import { FigureClaim, FoldedClaim } from './ClaimRow.tsx'
import { CLAIMS } from './claims.ts'
import { READING_IS_FREE } from './offers.ts'
import { FinalCall, Site } from './Site.tsx'

const OTHERS = CLAIMS.filter(({ figure }) => !figure)

/** Every claim with what it rests on. It is rendered by the build; client/site/security.ts fills in what it measures. */
export function Security() {
  return (
    <Site>
      <div className="wrap opening">
        <h1>What holds, and how you can tell.</h1>
        <p className="lead">
          Five claims with a figure each, sixteen more below. Behind each stands a test that you can run, what it does not cover,
          or both: the checks of Conclave refuse a claim without.
        </p>
      </div>
      <div className="wrap five">
        {CLAIMS.filter(({ figure }) => figure).map((each) => (
          <FigureClaim key={each.id} {...each} />
        ))}
      </div>
      <div className="wrap ledger">
        <nav aria-label="Claims">
          <b>The other sixteen</b>
          {OTHERS.map(({ id, text }) => (
            <a key={id} href={`#${id}`}>
              {text}
            </a>
          ))}
        </nav>
        <div>
          <h2>The ledger</h2>
          {OTHERS.map((each) => (
            <FoldedClaim key={each.id} {...each} />
          ))}
        </div>
      </div>
      <section className="wrap block more" aria-labelledby="more-title">
        <h2 className="sect" id="more-title">
          Read the rest.
        </h2>
        <ul>
          <li>
            <a href="/security/threat-model">
              The threat model
              <ArrowRight className="i i-16" aria-hidden />
            </a>
            <p>Who may attack, what each can do, what holds, and the table of tests.</p>
          </li>
          <li>
            <a href="/security/protocol">
              The protocol
              <ArrowRight className="i i-16" aria-hidden />
            </a>
            <p>The encryption, rule by rule, as the code cites it.</p>
          </li>
          <li>
            <a href="/security/verify">
              Verify the code
              <ArrowRight className="i i-16" aria-hidden />
            </a>
            <p>What a user, an operator and an auditor can check, and with which command.</p>
          </li>
        </ul>
      </section>
      <FinalCall title="Now close the door." text={`A username and a password are enough. ${READING_IS_FREE}`} href="/" />
    </Site>
  )
}
