// The markup of the flow, in one language.
import { inLanguage } from "../shared/in-language.ts";
import type { Language } from "../shared/languages.ts";
import type { CreateTexts } from "./texts/load-create-texts.ts";

export interface CreateMarkupOptions {
  texts: CreateTexts;
  language: Language;
  /** Address of the start page. */
  base: URL;
  /** In the console there is no form for a secret, no list of avatars and no list of pages: it has its own. */
  isConsole: boolean;
}

/** HTML of all states; `CreateView` shows one at a time. */
export function createMarkup({ texts, language, base, isConsole }: CreateMarkupOptions): string {
  const to = (path: string) => new URL(path, base).href;
  const {
    access,
    also,
    camera,
    change,
    describing,
    empty,
    framing,
    making,
    next,
    order,
    own,
    price,
    refused,
    talking,
  } = texts;
  return html`<div class="create" id="create" data-state="empty">
  <p class="hidden" id="status" role="status" aria-live="polite"></p>

  <div class="studio">
    <section class="hero" aria-label="${texts.stage.section}">
      <div id="stage"></div>
      <div class="chips" id="tab-chips" data-view="chosen" hidden>
        <div class="chip-set" id="tab-gestures"></div>
        <div class="chip-set" id="tab-moods"></div>
      </div>
      <figure class="framer" id="framer" aria-label="${framing.picture}" data-view="framing" hidden>
        <div class="framer-picture" id="framer-picture">
          <canvas id="framer-canvas"></canvas>
          <div class="framer-boxes" id="framer-boxes"></div>
          <button class="framer-crop" id="framer-crop" type="button" aria-label="${framing.cropBox}" hidden></button>
        </div>
      </figure>
    </section>

    <section class="work" aria-labelledby="title">
      <h1 id="title" tabindex="-1">${texts.titles.empty}</h1>
      <p class="wrong" id="picture-wrong" role="alert"></p>

      <div class="view" data-view="empty">
        <p class="lead" id="lead">${empty.lead}</p>
        <div class="drop" id="drop">
          <p class="by-mouse" id="drop-hint">${empty.dropHint}</p>
          <div class="row">
            <button class="main" id="choose" type="button"><span class="by-mouse">${empty.choose}</span><span class="by-touch">${empty.chooseOrTake}</span></button>
            <button id="camera" type="button">${empty.camera}</button>
            <button id="describe-open" type="button" hidden>${empty.describe}</button>
          </div>
        </div>
        <p class="fine">${empty.which}</p>
      </div>
      <input id="file" type="file" accept="image/*" tabindex="-1" aria-label="${empty.file}" hidden />

      <form class="view" id="describe" data-view="describing" hidden>
        <p class="quiet">${describing.lead}</p>
        <div class="field">
          <label for="prompt">${describing.prompt}</label>
          <textarea id="prompt" rows="3" maxlength="2000" aria-describedby="prompt-hint"></textarea>
          <p class="fine" id="prompt-hint">${describing.promptHint}</p>
          <p class="wrong" id="prompt-wrong" role="alert"></p>
        </div>
        <p class="fine">${describing.byService}</p>
        <div class="row actions">
          <button class="main" type="submit">${describing.make}</button>
          <button id="describe-back" type="button">${describing.back}</button>
        </div>
        <p class="fine" id="described-price"></p>
        <fieldset>
          <legend>${order.voice}</legend>
          <div class="voices" id="described-voices"></div>
        </fieldset>
        <div class="field">
          <label for="described-name">${order.name} <span class="quiet">${order.optional}</span></label>
          <input id="described-name" type="text" maxlength="60" autocomplete="off" placeholder="${order.nameExample}" />
        </div>
        ${raw(shapes("described-shape", order))}
      </form>

      <div class="view" data-view="opening" hidden>
        <p class="quiet" id="opening">${texts.opening}</p>
      </div>

      <div class="view" data-view="finding waking" hidden>
        <p class="quiet" id="waking">${texts.waking}</p>
        <div class="row"><button class="another" type="button">${empty.another}</button></div>
      </div>

      <div class="view" data-view="framing" hidden>
        <p id="framing-hint" role="alert"></p>
        <fieldset class="row">
          <legend class="hidden">${framing.tools}</legend>
          <button id="turn-left" type="button">${framing.left}</button>
          <button id="turn-right" type="button">${framing.right}</button>
          <button id="straighten" type="button" hidden>${framing.straighten}</button>
          <button id="crop" type="button" aria-pressed="false">${framing.crop}</button>
          <button id="crop-closer" type="button" hidden>${framing.closer}</button>
          <button id="crop-wider" type="button" hidden>${framing.wider}</button>
        </fieldset>
        <div class="row actions">
          <button id="framing-mark" type="button">${framing.mark}</button>
          <button id="framing-use" type="button">${framing.useFace}</button>
          <button class="another" id="framing-another" type="button">${empty.another}</button>
        </div>
      </div>

      <form class="view" id="order" data-view="chosen" hidden>
        <p class="quiet" id="chosen-note"></p>
        <fieldset>
          <legend>${order.voice}</legend>
          <div class="voices" id="voices"></div>
          <button class="plain" id="more-voices" type="button">${order.moreVoices}</button>
          <p class="wrong" id="voice-wrong" role="alert"></p>
        </fieldset>
        <div class="row actions">
          <button class="main" id="make" type="submit" aria-describedby="price">${order.make}</button>
          <button id="frame-again" type="button">${framing.crop}</button>
          <button class="another" type="button">${empty.another}</button>
        </div>
        <p class="fine" id="price"></p>
        <p class="fine">${order.sent}</p>
        <div class="pair">
          <div class="field">
            <label for="name">${order.name} <span class="quiet">${order.optional}</span></label>
            <input id="name" type="text" maxlength="60" autocomplete="off" placeholder="${order.nameExample}" />
          </div>
          <div class="field">
            <label for="character">${order.character} <span class="quiet">${order.optional}</span></label>
            <input id="character" type="text" maxlength="300" autocomplete="off" placeholder="${order.characterExample}" />
          </div>
        </div>
        ${raw(shapes("shape", order))}
      </form>

      <form class="view" id="access" data-view="access" hidden>
        <p id="access-reason">${access.reason}</p>
        <div class="field">
          <label for="secret">${access.secret}</label>
          <input id="secret" type="password" autocomplete="off" spellcheck="false" required aria-describedby="access-hint" />
        </div>
        <label class="check"><input id="access-keep" type="checkbox" /> ${access.keep}</label>
        <p class="fine" id="access-hint">${access.hint}</p>
        <p class="wrong" id="access-wrong" role="alert"></p>
        <div class="row actions">
          <button class="main" id="access-use" type="submit">${access.use}</button>
          <button id="access-back" type="button">${access.back}</button>
        </div>
      </form>

      <div class="view" data-view="making" hidden>
        <ol class="steps" id="steps"></ol>
        <p class="fine" id="progress" lang="en"></p>
        <p class="quiet" id="message"></p>
        <div class="row actions"><button id="cancel" type="button">${making.cancel}</button></div>
      </div>

      <div class="view" data-view="refused" hidden>
        <p id="refusal" role="alert"></p>
        <p class="quiet" id="refund" role="status"></p>
        <div class="row actions">
          <a class="button" id="sign-in-again" href="${to("console")}" hidden>${access.signIn}</a>
          <a class="button" id="top-up" href="${to("account/credits")}" target="_blank" hidden>${price.topUp}</a>
          <button id="make-drawn" type="button" hidden>${price.makeDrawn}</button>
          <button id="repeat" type="button">${refused.repeat}</button>
          <button id="mark" type="button">${framing.mark}</button>
          <button id="refused-frame" type="button">${framing.crop}</button>
          <button id="refused-change" type="button">${refused.change}</button>
          <button class="another" id="refused-another" type="button">${empty.another}</button>
        </div>
      </div>

      <div class="view" data-view="marking" hidden>
        <p id="marking-reason" role="alert"></p>
        <div class="row actions"><button class="another" type="button">${empty.another}</button></div>
      </div>
    </section>

    <section class="samples" aria-label="${empty.samples}" data-view="empty">
      <div class="samples-row" id="samples" aria-busy="true"></div>
      <div class="row">
        <button id="hear" type="button" hidden>${empty.hearLine}</button>
        <button id="talk-sample" type="button" aria-describedby="sample-price" hidden>${empty.talkFace}</button>
      </div>
      <p class="fine" id="sample-price"></p>
    </section>
  </div>

  <iframe class="marks" id="marks" title="${framing.mark}" data-view="marking" hidden></iframe>

  <div class="talking" data-view="talking" hidden>
    <div class="frame">
      <iframe class="avatar" id="avatar" title="${texts.titles.talking}" allow="autoplay; microphone; camera"></iframe>
      <div class="cover" id="cover" aria-hidden="true" hidden><canvas id="cover-canvas"></canvas></div>
    </div>
    <div class="bar">
      <a class="button" id="agent-page" href="${to("console")}" hidden>${talking.page}</a>
      <a class="button" id="agent-talk" href="${to("console")}" hidden>${talking.talk}</a>
      <button id="share" type="button">${talking.share}</button>
      <button class="another" id="talking-another" type="button">${talking.another}</button>
    </div>
    <div class="row share">
      <input id="share-link" type="text" readonly aria-label="${talking.link}" hidden />
      <span class="fine" id="share-said" role="status"></span>
    </div>
    <p class="note" id="note" hidden></p>
    <p class="wrong" id="talking-wrong" role="alert"></p>
    <section class="next" id="next" aria-labelledby="next-title" hidden>
      <h2 id="next-title">${next.title}</h2>
      <div class="cards">
        <div class="panel card">
          <h3>${next.site}</h3>
          <p class="fine">${next.siteNote} <a href="${to("docs")}">${next.siteDocs}</a></p>
          <div class="row"><button id="frame-copy" type="button">${next.copy}</button><span class="fine" id="frame-said" role="status"></span></div>
          <textarea class="code" id="frame-code" rows="6" readonly spellcheck="false" aria-label="${next.frameCode}" hidden></textarea>
        </div>
        <div class="panel card">
          <h3>${next.agent}</h3>
          <p class="fine">${next.agentNote}</p>
          <div class="row"><button id="agent-copy" type="button">${next.copy}</button><span class="fine" id="agent-said" role="status"></span></div>
          <textarea class="code" id="agent-code" rows="6" readonly spellcheck="false" aria-label="${next.agentCode}" hidden></textarea>
        </div>
        <form class="panel card" id="film">
          <h3>${next.film}</h3>
          <p class="fine">${next.filmNote} <span id="film-price"></span></p>
          <label class="hidden" for="film-text">${next.filmText}</label>
          <input id="film-text" type="text" maxlength="500" autocomplete="off" placeholder="${next.filmExample}" />
          <div class="row">
            <button id="film-make" type="submit">${next.filmMake}</button>
            <span class="fine" id="film-said" role="status"></span>
          </div>
          <video id="film-shown" controls playsinline aria-label="${next.filmShown}" hidden><track id="film-captions" kind="captions" srclang="en" label="${next.captions}" /></video>
          <a class="button" id="film-save" href="${base.href}" download hidden>${next.filmSave}</a>
        </form>
        <div class="panel card" id="download-card">
          <h3>${next.take}</h3>
          <p class="fine">${next.takeNote} <a href="${to("local")}">${next.takePage}</a></p>
          <div class="row"><a class="button" id="download" href="${base.href}" download>${next.download}</a></div>
        </div>
      </div>
    </section>
    <form class="change" id="change" aria-labelledby="change-title">
      <h2 id="change-title">${change.title}</h2>
      <fieldset>
        <legend>${change.voice}</legend>
        <div class="voices" id="change-voices"></div>
      </fieldset>
      <div class="field">
        <label for="change-character">${change.character}</label>
        <textarea id="change-character" maxlength="20000" rows="3"></textarea>
      </div>
      <div class="row">
        <button id="change-save" type="submit">${change.save}</button>
        <button id="delete" type="button">${change.delete}</button>
        <span class="fine" id="change-said" role="status"></span>
      </div>
      <p class="fine">${change.note}</p>
    </form>
  </div>

  <section class="own" id="own" aria-labelledby="own-title" data-view="empty talking" hidden>
    <h2 id="own-title">${own.title}</h2>
    <ul class="own-list" id="own-list"></ul>
    <div class="row"><button id="own-more" type="button" hidden>${own.more}</button></div>
    <p class="wrong" id="own-wrong" role="alert"></p>
  </section>
  <p class="fine signed-in" id="signed-in" hidden>${access.inUse} <button class="plain" id="forget" type="button">${access.forget}</button></p>

  ${raw(isConsole ? "" : alsoHere(also, language, to))}

  <dialog class="camera" id="camera-dialog" aria-labelledby="camera-title">
    <h2 id="camera-title">${camera.title}</h2>
    <div class="viewfinder" id="viewfinder">
      <video id="camera-video" playsinline muted></video>
      <canvas id="camera-still" hidden></canvas>
      <div class="oval" id="camera-oval"></div>
      <p class="count" id="camera-count" aria-live="assertive"></p>
    </div>
    <p id="camera-message" role="status"></p>
    <div class="row actions">
      <button class="main" id="camera-take" type="button">${camera.take}</button>
      <button class="main" id="camera-use" type="button" hidden>${camera.use}</button>
      <button id="camera-again" type="button" hidden>${camera.again}</button>
      <button id="camera-cancel" type="button">${camera.cancel}</button>
    </div>
  </dialog>
</div>`;
}

function shapes(group: string, { shape, shapes: names }: CreateTexts["order"]): string {
  return html`<fieldset>
          <legend>${shape}</legend>
          <div class="shapes">
            <label><input type="radio" name="${group}" value="1:1" checked /><span class="shape"></span>${names["1:1"]}</label>
            <label><input type="radio" name="${group}" value="16:9" /><span class="shape wide"></span>${names["16:9"]}</label>
            <label><input type="radio" name="${group}" value="9:16" /><span class="shape tall"></span>${names["9:16"]}</label>
          </div>
        </fieldset>`;
}

function alsoHere(texts: CreateTexts["also"], language: Language, to: (path: string) => string): string {
  return html`<section class="also" aria-labelledby="also-title" data-view="empty">
    <h2 id="also-title">${texts.title}</h2>
    <ul>
      <li><a href="${inLanguage(to("demo"), language)}">${texts.demo}</a> ${texts.demoNote}</li>
      <li><a href="${to("local")}">${texts.local}</a> ${texts.localNote}</li>
      <li><a href="${to("realtime")}">${texts.realtime}</a> ${texts.realtimeNote}</li>
      <li><a href="${to("docs")}">${texts.docs}</a> ${texts.docsNote}</li>
    </ul>
  </section>`;
}

/** Markup that is not escaped again. */
interface Raw {
  markup: string;
}

function raw(markup: string): Raw {
  return { markup };
}

function html(parts: TemplateStringsArray, ...values: readonly (string | Raw)[]): string {
  return parts.reduce((whole, part, index) => {
    const value = values[index - 1];
    return whole + (typeof value === "string" ? escapeHtml(value) : value.markup) + part;
  });
}

function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}
