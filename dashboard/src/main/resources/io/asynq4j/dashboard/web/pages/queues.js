// List of all queues.

import {View, html} from '../core/view.js';
import {head} from '../parts/basics.js';
import '../parts/queue-table.js';

class QueuesPage extends View {
  template() {
    return html`${head({title: 'Queues'})}<queue-table></queue-table>`;
  }
}

QueuesPage.define('queues-page');
