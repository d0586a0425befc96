import { ArrowRight, ChevronRight } from 'lucide-react'
import { Unbroken } from '../ui/Unbroken.tsx'
import type { Claim } from './claim.ts'
import { CLAIMS } from './claims.ts'
import { READING_IS_FREE } from './offers.ts'
import { FinalCall, Site } from './Site.tsx'

/** Every claim with what it rests on. It is rendered by the build; client/site/security.ts fills in what it measures. */
export function Security() {
  return (
    <Site>
      <div className="wrap opening">
        <h1>What holds, and how you can tell.</h1>
        <p className="lead">
          A messenger asks to be believed. Below is everything that Conclave says of itself, with what makes it true, the tests
          that prove it, what it does not cover, and what this page can measure here and now.
        </p>
        <p className="fine-print">
          {CLAIMS.length} claims. None may stand here without a test or a stated limit: the checks of Conclave refuse it.
        </p>
      </div>
      <div className="wrap claims">
        {CLAIMS.map((one) => (
          <ClaimRow key={one.id} {...one} />
        ))}
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

function ClaimRow({ id, text, caption, story, tests, limit, measures }: Claim) {
  return (
    <article className="claim" id={id} aria-labelledby={`${id}-title`}>
      <div>
        <h2 id={`${id}-title`}>{text}</h2>
        <p className="cap">
          <Unbroken text={caption} />
        </p>
      </div>
      <div>
        <p className="story">
          <Unbroken text={story} />
        </p>
        <details data-measures={measures.join(' ')}>
          <summary>
            <ChevronRight className="i i-16" aria-hidden />
            How we know<span className="sr">: {text}</span>
          </summary>
          <div className="known">
            {tests.length > 0 && (
              <>
                <h3>Tested</h3>
                <ul className="tests">
                  {tests.map(({ file, title }) => (
                    <li key={title}>
                      {title}
                      <code>{file}</code>
                    </li>
                  ))}
                </ul>
              </>
            )}
            {measures.length > 0 && (
              <div className="measured" aria-live="polite">
                <h3>Measured here</h3>
                <p className="waits">JavaScript measures this in your browser when you open it.</p>
              </div>
            )}
            {limit && (
              <>
                <h3>What it does not cover</h3>
                <p>{limit}</p>
              </>
            )}
            <p>
              <a href="/security/threat-model">Threat model</a>
            </p>
          </div>
        </details>
      </div>
    </article>
  )
}
