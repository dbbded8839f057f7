/** A shop that confirms orders by mail. Start with {@link com.example.shop.ShopApplication}. */
@NullMarked
package com.example.shop;

import org.jspecify.annotations.NullMarked;
